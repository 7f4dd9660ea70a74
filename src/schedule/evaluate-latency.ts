import { type CompiledGraph, compileGraph } from './compile.ts'
import type { Evaluation } from './evaluation.ts'
import { findCycle, place } from './order-graph.ts'
import type { Problem, Sequences } from './problem.ts'

/**
 * Times an order under latency communication: every event starts as early as its dependencies and its rank's sequence
 * allow, and transfers take their lag and nothing else.
 * @throws FaultError when the order is incomplete
 */
export function evaluateLatency(problem: Problem, sequences: Sequences): Evaluation {
  const graph = compileGraph(problem)
  const { rankOf, next, waiting } = place(problem, graph, sequences)
  const start = new Float64Array(graph.numEvents)
  const end = new Float64Array(graph.numEvents)
  const done = propagate(problem, graph, rankOf, next, waiting, start, end)
  if (done < graph.numEvents) return { kind: 'cycle', events: findCycle(problem, sequences, waiting) }
  let makespan = 0
  for (const tick of end) if (tick > makespan) makespan = tick
  return { kind: 'schedule', schedule: { sequences, rankOf, start, makespan } }
}

/** Kahn's walk with longest-path times; returns how many events could finish. */
function propagate(
  problem: Problem,
  graph: CompiledGraph,
  rankOf: Int32Array,
  next: Int32Array,
  waiting: Int32Array,
  start: Float64Array,
  end: Float64Array
): number {
  const { ranks, lags } = problem
  const { numEvents, successorStart, successor, successorLag, modeBase, modeStride, duration, release } = graph
  const queue = new Int32Array(numEvents)
  let tail = 0
  for (let event = 0; event < numEvents; event++) {
    start[event] = release[modeBase[event] + modeStride[event] * rankOf[event]]
    if (waiting[event] === 0) queue[tail++] = event
  }
  for (let head = 0; head < tail; head++) {
    const event = queue[head]
    const finish = start[event] + duration[modeBase[event] + modeStride[event] * rankOf[event]]
    end[event] = finish
    const row = rankOf[event] * ranks
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
      const to = successor[slot]
      const lag = successorLag[slot]
      const ready = lag < 0 ? finish : finish + lags[lag][row + rankOf[to]]
      if (ready > start[to]) start[to] = ready
      if (--waiting[to] === 0) queue[tail++] = to
    }
    const following = next[event]
    if (following >= 0) {
      if (finish > start[following]) start[following] = finish
      if (--waiting[following] === 0) queue[tail++] = following
    }
  }
  return tail
}
