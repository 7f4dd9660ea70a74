import { compileGraph, releaseOn } from './compile.ts'
import { endTicks } from './critical-path.ts'
import type { Tick } from './measured.ts'
import type { EventId, Problem, Schedule } from './problem.ts'
import { arrivalTick } from './wire.ts'

/** Why a rank is idle. */
export type Cause = 'forward' | 'backward' | 'encoder' | 'transfer' | 'memory' | 'drain'

/** All causes, in the order in which tables list them. */
export const CAUSES: readonly Cause[] = ['forward', 'backward', 'encoder', 'transfer', 'memory', 'drain']

/** What each cause means. */
export const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  forward: 'waiting for a forward',
  backward: 'waiting for a backward',
  encoder: 'waiting for the encoder',
  transfer: 'waiting for a transfer or broadcast',
  memory: 'held back to save memory',
  drain: 'done, waiting for the end of the step'
}

/** An idle interval of a rank and its cause. */
export type IdleInterval = { readonly rank: number; readonly start: Tick; readonly end: Tick; readonly cause: Cause }

/** The input of an event that arrives last: when it is computed, when it is there, and which kind it is. */
type Input = { readonly ready: Tick; readonly arrival: Tick; readonly cause: Cause }

/**
 * Every idle tick of every rank inside [0, makespan] with its cause, ranks ascending, in time order. A rank waits for
 * the last input of its next event: while it is computed (forward, backward, encoder), then while it travels
 * (transfer). Idle although everything is there means that the schedule holds the event back (memory); after its last
 * event a rank waits for the step's end (drain).
 */
export function idleIntervals(problem: Problem, schedule: Schedule): IdleInterval[] {
  const ends = endTicks(problem, schedule)
  const inputs = lastInputs(problem, schedule, ends)
  const found: IdleInterval[] = []
  const add = (rank: number, start: Tick, end: Tick, cause: Cause) => {
    if (end > start) found.push({ rank, start, end, cause })
  }
  for (const [rank, events] of schedule.sequences.entries()) {
    let free = 0
    for (const event of events) {
      const start = schedule.start[event]
      const { ready, arrival, cause } = inputs[event]
      const computed = clamp(ready, free, start)
      const arrived = clamp(arrival, computed, start)
      add(rank, free, computed, cause)
      add(rank, computed, arrived, 'transfer')
      // Where transfers block, what is there and does not start waits for its rank's own transfers.
      add(rank, arrived, start, problem.communication === 'blocking' ? 'transfer' : 'memory')
      free = Math.max(free, ends[event])
    }
    add(rank, free, schedule.makespan, 'drain')
  }
  return found
}

/** Idle ticks by cause over all ranks. */
export function idleByCause(intervals: readonly IdleInterval[]): Record<Cause, Tick> {
  const ticks: Record<Cause, Tick> = { forward: 0, backward: 0, encoder: 0, transfer: 0, memory: 0, drain: 0 }
  for (const { start, end, cause } of intervals) ticks[cause] += end - start
  return ticks
}

function lastInputs(problem: Problem, schedule: Schedule, ends: Float64Array): Input[] {
  const graph = compileGraph(problem)
  const inputs = problem.events.map(
    ({ id }): Input => ({ ready: 0, arrival: releaseOn(graph, id, schedule.rankOf[id]), cause: 'transfer' })
  )
  for (const edge of problem.edges) {
    const { from, to } = edge
    const ready = ends[from]
    const arrival = arrivalTick(problem, schedule, edge, ready)
    const known = inputs[to]
    if (arrival > known.arrival || (arrival === known.arrival && ready > known.ready))
      inputs[to] = { ready, arrival, cause: causeOf(problem, from) }
  }
  return inputs
}

function causeOf(problem: Problem, event: EventId): Cause {
  switch (problem.events[event].key.kind) {
    case 'F':
      return 'forward'
    case 'B':
    case 'I':
    case 'W':
      return 'backward'
    case 'E':
    case 'EB':
      return 'encoder'
    case 'Broadcast':
    case 'Reduce':
      return 'transfer'
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high)
}
