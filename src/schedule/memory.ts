import { range } from '../base/arrays.ts'
import { compileGraph, durationOn } from './compile.ts'
import type { Byte, Tick } from './measured.ts'
import type { Point, Problem, Schedule } from './problem.ts'
import { arrivalTick } from './wire.ts'

/** Memory of one rank over time: bytes from each tick on, and its peak with the first tick at which it is reached. */
export type MemoryProfile = {
  readonly steps: readonly { readonly at: Tick; readonly bytes: Byte }[]
  readonly peak: Byte
  readonly peakAt: Tick
}

/** Tick of a moment of a schedule; `arrival` is the end of that edge's transfer: the lag after its producer, unless it had to wait. */
export function pointTick(problem: Problem, schedule: Schedule, point: Point): Tick {
  const rank = schedule.rankOf[point.event]
  const duration = point.at === 'end' ? durationOn(compileGraph(problem), point.event, rank) : 0
  const tick = schedule.start[point.event] + duration
  if (point.arrival === undefined) return tick
  return arrivalTick(problem, schedule, problem.edges[point.arrival], tick)
}

/** Memory profile of every rank (P entries). Holds are half-open: at one tick, releases come first. */
export function memoryProfiles(problem: Problem, schedule: Schedule): MemoryProfile[] {
  const changes = range(problem.ranks).map(() => new Map<Tick, Byte>())
  for (const hold of problem.holds) {
    const from = pointTick(problem, schedule, hold.from)
    const until = pointTick(problem, schedule, hold.until)
    if (until <= from) continue
    const rank = 'rank' in hold.where ? hold.where.rank : schedule.rankOf[hold.where.rankOf]
    const of = changes[rank]
    of.set(from, (of.get(from) ?? 0) + hold.bytes)
    of.set(until, (of.get(until) ?? 0) - hold.bytes)
  }
  return changes.map((ticks, rank) => profileOf(ticks, problem.fixed[rank]))
}

function profileOf(changes: ReadonlyMap<Tick, Byte>, fixed: Byte): MemoryProfile {
  const ticks = [...changes.keys()].sort((a, b) => a - b)
  const steps: { at: Tick; bytes: Byte }[] = [{ at: 0, bytes: fixed }]
  let [bytes, peak, peakAt] = [fixed, fixed, 0]
  for (const at of ticks) {
    bytes += changes.get(at) ?? 0
    if (at === 0) steps[0] = { at, bytes }
    else steps.push({ at, bytes })
    if (bytes > peak) [peak, peakAt] = [bytes, at]
  }
  return { steps, peak, peakAt }
}

/** Peak bytes per rank (P entries). */
export function peakBytes(problem: Problem, schedule: Schedule): Byte[] {
  return memoryProfiles(problem, schedule).map(profile => profile.peak)
}

/** Whether every rank's peak stays within its capacity. */
export function fitsMemory(problem: Problem, schedule: Schedule): boolean {
  if (problem.capacity.every(limit => limit === undefined)) return true
  return peakBytes(problem, schedule).every(
    (peak, rank) => peak <= (problem.capacity[rank] ?? Number.POSITIVE_INFINITY)
  )
}
