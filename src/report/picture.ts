import { range } from '../base/arrays.ts'
import { criticalPath, endTicks } from '../schedule/critical-path.ts'
import type { ScheduleDocument, TimedKind } from '../schedule/document.ts'
import { partNames } from '../schedule/label.ts'
import type { Byte, Tick } from '../schedule/measured.ts'
import { type MemoryProfile, memoryProfiles } from '../schedule/memory.ts'
import type { EventId, Problem, Schedule } from '../schedule/problem.ts'

/** One compute event as it is drawn. `critical` events lie on the critical path. */
export type Box = {
  readonly rank: number
  readonly kind: TimedKind
  readonly region: string
  /** Absent for E and EB. */
  readonly stage?: number
  readonly microbatch: number
  /** Which encode of its microbatch, where there are several. */
  readonly item?: number
  readonly chunk?: number
  readonly start: Tick
  readonly end: Tick
  readonly critical: boolean
  /** Which half of the row it takes: of an overlapped pair, the first of the two is above. */
  readonly half?: 'upper' | 'lower'
}

/** A broadcast or reduction: it takes time beside the compute of its rank. */
export type Beside = {
  readonly rank: number
  readonly kind: 'Broadcast' | 'Reduce'
  readonly region: string
  readonly start: Tick
  readonly end: Tick
}

/** Idle time of a rank with the reason for it, in words. */
export type Idle = { readonly rank: number; readonly start: Tick; readonly end: Tick; readonly cause: string }

/** A place of the critical path: rank, and the ticks from and to. */
export type CriticalStep = { readonly rank: number; readonly start: Tick; readonly end: Tick }

/** Memory of one rank over time, with its limit where it has one. */
export type MemoryCurve = MemoryProfile & { readonly capacity?: Byte }

/** All that a picture of a schedule shows, in ticks and bytes. Plain data: drawing it needs neither problem nor solver. */
export type Picture = {
  readonly ranks: number
  readonly microbatches: number
  readonly unit: string
  readonly ticksPerUnit: number
  readonly makespan: Tick
  readonly boxes: readonly Box[]
  readonly beside: readonly Beside[]
  readonly idle: readonly Idle[]
  readonly critical: readonly CriticalStep[]
  /** One per rank; empty where the memory is not known. */
  readonly memory: readonly MemoryCurve[]
}

/** Picture of a timed schedule of a problem, with memory curves and critical path; `idle` names the causes, where known. */
export function pictureOf(problem: Problem, schedule: Schedule, idle: readonly Idle[] = []): Picture {
  const ends = endTicks(problem, schedule)
  const path = criticalPath(problem, schedule)
  const onPath = new Set(path)
  const place = (id: EventId) => ({ rank: schedule.rankOf[id], start: schedule.start[id], end: ends[id] })
  const halves = new Map<EventId, Pick<Box, 'half'>>()
  for (const { first, second } of problem.fusable) {
    halves.set(first, { half: 'upper' })
    halves.set(second, { half: 'lower' })
  }
  const partOf = partNames(problem)
  const name = (id: EventId) => problem.regions[problem.events[id].key.region].name
  return {
    ranks: problem.ranks,
    microbatches: problem.microbatches,
    unit: problem.unit,
    ticksPerUnit: problem.ticksPerUnit,
    makespan: schedule.makespan,
    boxes: schedule.sequences.flat().map(id => {
      const { key } = problem.events[id]
      const { kind, stage, microbatch } = key
      const at = stage >= 0 ? { stage } : {}
      return {
        kind: kind as TimedKind,
        region: name(id),
        ...at,
        microbatch,
        ...partOf(key),
        ...place(id),
        critical: onPath.has(id),
        ...halves.get(id)
      }
    }),
    beside: problem.events
      .filter(event => !event.occupies)
      .map(({ id, key }) => ({ kind: key.kind as Beside['kind'], region: name(id), ...place(id) })),
    idle,
    critical: path.map(place),
    memory: memoryCurves(problem, schedule)
  }
}

/** None where the instance gives no bytes at all. */
function memoryCurves(problem: Problem, schedule: Schedule): MemoryCurve[] {
  const profiles = memoryProfiles(problem, schedule)
  if (profiles.every(profile => profile.peak === 0)) return []
  return profiles.map((profile, rank) => {
    const capacity = problem.capacity[rank]
    return capacity === undefined ? profile : { ...profile, capacity }
  })
}

/** Picture of a schedule document alone: no memory, no critical path, since both need the instance. */
export function pictureOfDocument(document: ScheduleDocument): Picture {
  return {
    ranks: document.P,
    microbatches: document.M,
    unit: document.unit,
    ticksPerUnit: document.ticksPerUnit,
    makespan: document.makespan,
    boxes: range(document.P).flatMap(rank => boxesOf(document.ranks[rank], rank)),
    beside: [],
    idle: [],
    critical: [],
    memory: []
  }
}

function boxesOf(events: ScheduleDocument['ranks'][number], rank: number): Box[] {
  let upper = false
  return events.map(({ overlapped, ...event }) => {
    upper = overlapped === true && !upper
    const half = overlapped ? { half: upper ? ('upper' as const) : ('lower' as const) } : {}
    return { ...event, rank, critical: false, ...half }
  })
}
