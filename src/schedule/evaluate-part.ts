import { type CompiledGraph, compileGraph } from './compile.ts'
import type { Tick } from './measured.ts'
import type { Event, Problem, Sequences } from './problem.ts'

/** Which part of an order is timed. */
export type Part = {
  /** Events that take part; all where absent. */
  readonly keep?: (event: Event) => boolean
  /** Events whose successors do not wait for them (except the next one on their rank). */
  readonly mute?: (event: Event) => boolean
  /** Whether releases count; true where absent. */
  readonly releases?: boolean
}

/** Starts by event id (events left out have 0) and the makespan of a part of an order. */
export type PartialTiming = { readonly start: Float64Array; readonly makespan: Tick; readonly sequences: Sequences }

/**
 * Longest path through part of an order: left-out events take no time and hold nobody up. Latency communication; the order
 * must have no cycle.
 */
export function evaluatePart(problem: Problem, sequences: Sequences, part: Part = {}): PartialTiming {
  const { keep, mute, releases = true } = part
  const graph = compileGraph(problem)
  const kept = keep && flagsOf(problem, keep)
  const order = kept ? sequences.map(sequence => sequence.filter(event => kept[event] === 1)) : sequences
  const rankOf = new Int32Array(graph.numEvents).fill(-1)
  const next = new Int32Array(graph.numEvents).fill(-1)
  for (const id of graph.loose) if (!kept || kept[id] === 1) rankOf[id] = problem.events[id].modes[0].rank
  for (const [rank, sequence] of order.entries()) {
    for (let index = 0; index < sequence.length; index++) {
      rankOf[sequence[index]] = rank
      if (index > 0) next[sequence[index - 1]] = sequence[index]
    }
  }
  const muted = mute ? flagsOf(problem, mute) : new Uint8Array(graph.numEvents)
  return { ...walk({ problem, graph, rankOf, next, muted }, releases), sequences: order }
}

function flagsOf({ events }: Problem, holds: (event: Event) => boolean): Uint8Array {
  const flags = new Uint8Array(events.length)
  for (const event of events) if (holds(event)) flags[event.id] = 1
  return flags
}

/** An order of the events that have a rank; what is muted holds up its rank's next event alone. */
type Walk = {
  readonly problem: Problem
  readonly graph: CompiledGraph
  readonly rankOf: Int32Array
  readonly next: Int32Array
  readonly muted: Uint8Array
}

function walk(order: Walk, releases: boolean): { start: Float64Array; makespan: Tick } {
  const { rankOf, next, muted } = order
  const { ranks, lags } = order.problem
  const { numEvents, successorStart, successor, successorLag, modeBase, modeStride, duration, release } = order.graph
  const start = new Float64Array(numEvents)
  const waiting = waitingFor(order)
  const queue = new Int32Array(numEvents)
  let [length, makespan] = [0, 0]
  for (let event = 0; event < numEvents; event++) {
    if (rankOf[event] < 0) continue
    if (releases) start[event] = release[modeBase[event] + modeStride[event] * rankOf[event]]
    if (waiting[event] === 0) queue[length++] = event
  }
  for (let index = 0; index < length; index++) {
    const event = queue[index]
    const rank = rankOf[event]
    const finish = start[event] + duration[modeBase[event] + modeStride[event] * rank]
    if (finish > makespan) makespan = finish
    const end = muted[event] === 1 ? 0 : successorStart[event + 1]
    for (let slot = successorStart[event]; slot < end; slot++) {
      const to = successor[slot]
      if (rankOf[to] < 0) continue
      const lag = successorLag[slot]
      const ready = lag < 0 ? finish : finish + lags[lag][rank * ranks + rankOf[to]]
      if (ready > start[to]) start[to] = ready
      if (--waiting[to] === 0) queue[length++] = to
    }
    const following = next[event]
    if (following < 0) continue
    if (finish > start[following]) start[following] = finish
    if (--waiting[following] === 0) queue[length++] = following
  }
  return { start, makespan }
}

/** How many events each one waits for. */
function waitingFor({ graph, rankOf, next, muted }: Walk): Int32Array {
  const { numEvents, successorStart, successor } = graph
  const waiting = new Int32Array(numEvents)
  for (let event = 0; event < numEvents; event++) {
    if (rankOf[event] < 0) continue
    if (next[event] >= 0) waiting[next[event]]++
    if (muted[event] === 1) continue
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++)
      if (rankOf[successor[slot]] >= 0) waiting[successor[slot]]++
  }
  return waiting
}
