import { range } from '../base/arrays.ts'
import { compileGraph } from './evaluate.ts'
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
  const { duration } = compileGraph(problem)
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
        end: start + duration[id * problem.ranks + rank]
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
