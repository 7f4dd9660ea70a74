import type { Byte } from '../schedule/measured.ts'
import type { EdgeId, EventId, Hold, Point, Problem } from '../schedule/problem.ts'
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

/** What is known of times before a model is solved: the analysis, and the edges whose transfers may wait before they start. */
export type Known = Analysis & { readonly waits: (edge: EdgeId) => boolean }

/** Lower bound on (moment `to` - moment `from`) that the precedences imply; -Infinity where they imply none. */
export function knownGap(known: Known, from: Point, to: Point): number {
  if (from.event === to.event) return gapWithin(known, from, to)
  const [, latest] = offsets(known, from)
  const [earliest] = offsets(known, to)
  const direct = known.distancesFrom(from.event)[to.event] - latest + earliest
  if (from.arrival === undefined) return direct
  const arrivesAt = known.problem.edges[from.arrival].to
  return Math.max(direct, known.distancesFrom(arrivesAt)[to.event] + earliest)
}

function gapWithin(known: Known, from: Point, to: Point): number {
  const [, latest] = offsets(known, from)
  const [earliest] = offsets(known, to)
  if (from.at !== to.at) return earliest - latest
  if (from.arrival === to.arrival) return 0
  return from.arrival === undefined ? shortestLag(known, to) : -longestLag(known, from)
}

/** Shortest and longest time from an event's start to a moment of it. */
function offsets(known: Known, point: Point): readonly [number, number] {
  const durations = known.problem.events[point.event].modes.map(({ duration }) => duration / known.unit)
  const [low, high] = point.at === 'end' ? [Math.min(...durations), Math.max(...durations)] : [0, 0]
  return [low + shortestLag(known, point), high + longestLag(known, point)]
}

function lagsOf(known: Known, point: Point): number[] {
  if (point.arrival === undefined) return [0]
  const edge = known.problem.edges[point.arrival]
  const [from, to] = [known.problem.events[edge.from], known.problem.events[edge.to]]
  return from.modes.flatMap(({ rank }) => to.modes.map(mode => known.lag(edge, rank, mode.rank)))
}

function shortestLag(known: Known, point: Point): number {
  return Math.min(...lagsOf(known, point))
}

function longestLag(known: Known, point: Point): number {
  const longest = Math.max(...lagsOf(known, point))
  return longest > 0 && point.arrival !== undefined && known.waits(point.arrival) ? Number.POSITIVE_INFINITY : longest
}

/** Activity of `hold` at the start of `moment` (half-open: a release at that tick comes first). */
export function activityAt(known: Known, hold: Hold, moment: Point): Activity {
  if (knownGap(known, hold.until, moment) >= 0 || knownGap(known, moment, hold.from) >= 1) return 'never'
  if (knownGap(known, hold.from, moment) >= 0 && knownGap(known, moment, hold.until) >= 1) return 'always'
  return 'open'
}
