import type { Byte } from '../schedule/measured.ts'
import type { EventId, Hold, Point, Problem } from '../schedule/problem.ts'
import type { Analysis } from './analysis.ts'

/** Whether a hold is active at the moment another one begins, going by precedences alone. */
export type Activity = 'always' | 'never' | 'open'

/** Event whose rank a hold is on, or undefined where the rank is given. */
export function holderOf(hold: Hold): EventId | undefined {
  return 'rankOf' in hold.where ? hold.where.rankOf : undefined
}

/** Bytes that a rank has for holds; undefined is unlimited. */
export function roomOf(problem: Problem, rank: number): Byte | undefined {
  const capacity = problem.capacity[rank]
  return capacity === undefined ? undefined : capacity - problem.fixed[rank]
}

/** Lower bound on (moment `to` - moment `from`) that the precedences imply; -Infinity where they imply none. */
export function knownGap(analysis: Analysis, from: Point, to: Point): number {
  if (from.event === to.event) return gapWithin(analysis, from, to)
  const [, latest] = offsets(analysis, from)
  const [earliest] = offsets(analysis, to)
  const direct = analysis.distancesFrom(from.event)[to.event] - latest + earliest
  if (from.arrival === undefined) return direct
  const arrivesAt = analysis.problem.edges[from.arrival].to
  return Math.max(direct, analysis.distancesFrom(arrivesAt)[to.event] + earliest)
}

function gapWithin(analysis: Analysis, from: Point, to: Point): number {
  const [, latest] = offsets(analysis, from)
  const [earliest] = offsets(analysis, to)
  if (from.at !== to.at) return earliest - latest
  if (from.arrival === to.arrival) return 0
  return from.arrival === undefined ? shortestLag(analysis, to) : -longestLag(analysis, from)
}

/** Shortest and longest time from an event's start to a moment of it. */
function offsets(analysis: Analysis, point: Point): readonly [number, number] {
  const durations = analysis.problem.events[point.event].modes.map(({ duration }) => duration / analysis.unit)
  const [low, high] = point.at === 'end' ? [Math.min(...durations), Math.max(...durations)] : [0, 0]
  return [low + shortestLag(analysis, point), high + longestLag(analysis, point)]
}

function lagsOf(analysis: Analysis, point: Point): number[] {
  if (point.arrival === undefined) return [0]
  const edge = analysis.problem.edges[point.arrival]
  const [from, to] = [analysis.problem.events[edge.from], analysis.problem.events[edge.to]]
  return from.modes.flatMap(({ rank }) => to.modes.map(mode => analysis.lag(edge, rank, mode.rank)))
}

function shortestLag(analysis: Analysis, point: Point): number {
  return Math.min(...lagsOf(analysis, point))
}

function longestLag(analysis: Analysis, point: Point): number {
  return Math.max(...lagsOf(analysis, point))
}

/** Activity of `hold` at the start of `moment` (half-open: a release at that tick comes first). */
export function activityAt(analysis: Analysis, hold: Hold, moment: Point): Activity {
  if (knownGap(analysis, hold.until, moment) >= 0 || knownGap(analysis, moment, hold.from) >= 1) return 'never'
  if (knownGap(analysis, hold.from, moment) >= 0 && knownGap(analysis, moment, hold.until) >= 1) return 'always'
  return 'open'
}
