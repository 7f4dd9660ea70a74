import { type CompiledGraph, compileGraph } from './compile.ts'
import type { Evaluation } from './evaluation.ts'
import type { Tick } from './measured.ts'
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
  const { done, makespan } = propagate(problem, graph, rankOf, next, waiting, start)
  if (done < graph.numEvents) return { kind: 'cycle', events: findCycle(problem, sequences, waiting) }
  return { kind: 'schedule', schedule: { sequences, rankOf, start, makespan } }
}

/**
 * Longest-path times in topological order: follows each rank's sequence for as long as it waits for nobody else, which
 * keeps what it touches together. Returns how many events could finish, and the latest end.
 */
function propagate(
  { ranks, lags }: Problem,
  graph: CompiledGraph,
  rankOf: Int32Array,
  next: Int32Array,
  waiting: Int32Array,
  start: Float64Array
): { readonly done: number; readonly makespan: Tick } {
  const { numEvents, successorStart, successor, successorLag, modeBase, modeStride, duration, release } = graph
  const stack = new Int32Array(numEvents)
  let [top, done, makespan] = [0, 0, 0]
  if (graph.releases)
    for (let event = 0; event < numEvents; event++)
      start[event] = release[modeBase[event] + modeStride[event] * rankOf[event]]
  for (let event = 0; event < numEvents; event++) if (waiting[event] === 0) stack[top++] = event
  while (top > 0) {
    for (let event = stack[--top]; event >= 0; ) {
      const rank = rankOf[event]
      const finish = start[event] + duration[modeBase[event] + modeStride[event] * rank]
      if (finish > makespan) makespan = finish
      done++
      for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
        const to = successor[slot]
        const lag = successorLag[slot]
        const ready = lag < 0 ? finish : finish + lags[lag][rank * ranks + rankOf[to]]
        if (ready > start[to]) start[to] = ready
        if (--waiting[to] === 0) stack[top++] = to
      }
      event = next[event]
      if (event < 0) break
      if (finish > start[event]) start[event] = finish
      if (--waiting[event] > 0) break
    }
  }
  return { done, makespan }
}
