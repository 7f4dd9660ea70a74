import { range } from '../base/arrays.ts'
import { fail } from '../base/fault.ts'
import { indexEvents } from './body.ts'
import { compileGraph, durationOn } from './evaluate.ts'
import type { Tick } from './measured.ts'
import type { Problem, Schedule } from './problem.ts'

/** Kinds of events that a timed schedule lists. */
export type TimedKind = 'F' | 'B' | 'I' | 'W' | 'E' | 'EB'

/** One timed event; `region` is its name, `stage` is absent for E and EB. */
export type TimedEvent = {
  readonly kind: TimedKind
  readonly region: string
  readonly stage?: number
  readonly microbatch: number
  readonly start: Tick
  readonly end: Tick
}

/** `tropipe.schedule/1`: per rank the events in start order, in ticks. `instance` is the instance's hash. */
export type ScheduleDocument = {
  readonly format: 'tropipe.schedule/1'
  readonly instance: string
  readonly ranks: readonly (readonly TimedEvent[])[]
  readonly P: number
  readonly M: number
  readonly unit: string
  readonly ticksPerUnit: number
  readonly makespan: Tick
}

/** A schedule as the document that leaves the tool, and that the checker reads. */
export function toDocument(problem: Problem, schedule: Schedule): ScheduleDocument {
  const graph = compileGraph(problem)
  const ranks = range(problem.ranks).map(rank =>
    schedule.sequences[rank].map(id => {
      const { kind, region, stage, microbatch } = problem.events[id].key
      const start = schedule.start[id]
      const place = stage >= 0 ? { stage } : {}
      return {
        kind: kind as TimedKind,
        region: problem.regions[region].name,
        ...place,
        microbatch,
        start,
        end: start + durationOn(graph, id, rank)
      }
    })
  )
  return {
    format: 'tropipe.schedule/1',
    instance: problem.hash,
    P: problem.ranks,
    M: problem.microbatches,
    unit: problem.unit,
    ticksPerUnit: problem.ticksPerUnit,
    makespan: schedule.makespan,
    ranks
  }
}

/**
 * The schedule that a document states, on a problem of the same instance. Broadcast and reductions, which documents do not
 * list, start as early as they may. Nothing is checked but that the events exist: legality is the checker's.
 * @throws FaultError UNKNOWN_EVENT
 */
export function fromDocument(problem: Problem, document: ScheduleDocument): Schedule {
  const index = indexEvents(problem)
  const rankOf = new Int32Array(problem.events.length).map((_, id) => problem.events[id].modes[0].rank)
  const start = new Float64Array(problem.events.length)
  const sequences = document.ranks.map((events, rank) =>
    events.map(({ kind, stage = -1, microbatch, start: tick }, step) => {
      const id = index.find(kind, stage, microbatch)
      if (id === undefined) {
        const event = { kind, stage, microbatch }
        return fail(
          'UNKNOWN_EVENT',
          `ranks[${rank}][${step}]`,
          event,
          'the instance has no such event',
          'Run `tropipe prove`.'
        )
      }
      rankOf[id] = rank
      start[id] = tick
      return id
    })
  )
  placeLoose(problem, rankOf, start)
  return { sequences, rankOf, start, makespan: document.makespan }
}

/** Starts events beside the compute when all that they wait for has ended; they wait for compute events only. */
function placeLoose(problem: Problem, rankOf: Int32Array, start: Float64Array): void {
  const graph = compileGraph(problem)
  for (const { from, to } of problem.edges) {
    if (problem.events[to].occupies) continue
    start[to] = Math.max(start[to], start[from] + durationOn(graph, from, rankOf[from]))
  }
}
