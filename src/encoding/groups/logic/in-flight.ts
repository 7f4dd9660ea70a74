import type { Byte } from '../../../schedule/measured.ts'
import type { EventId, Hold, Problem } from '../../../schedule/problem.ts'
import { roomOf } from '../../holds.ts'
import { atLeast } from '../../model/builder.ts'
import type { Literal } from '../../model/types.ts'
import type { LogicContext } from './context.ts'

/** Holds of one microbatch on a rank: bytes that its first and its last backward part release. */
type Flight = {
  readonly forward: EventId
  readonly parts: readonly { readonly bytes: Byte; readonly until: EventId }[]
}

/**
 * In-flight group, exact, in place of the memory group on ranks where it applies. Consumes the holds of a rank with one
 * stage whose microbatches are all alike and taken in ascending order. When F(m) starts, m + 1 forwards have started; with
 * i input parts ended the rest of the bytes must have been released by weight parts: one clause of two literals per
 * i, in place of a sum over all holds. Returns whether it applied.
 */
export function addInFlight(context: LogicContext, rank: number): boolean {
  const { problem } = context.analysis
  const flights = flightsOf(problem, rank)
  const room = roomOf(problem, rank)
  if (!flights || room === undefined) return false
  const [first, last] = flights[0].parts.map(part => part.bytes)
  for (const [m, { forward }] of flights.entries()) {
    for (let ended = 0; ended <= m; ended++) {
      const over = (m + 1) * (first + (last ?? 0)) - ended * first - room
      if (over <= 0) continue
      const needed = last === undefined ? Number.POSITIVE_INFINITY : Math.ceil(over / last)
      const literals = [endedBefore(context, rank, flights[ended].parts[0].until, forward)]
      // No more weight parts have ended than input parts, of which there are at most `ended` here.
      if (needed <= ended) literals.push(endedBefore(context, rank, flights[needed - 1].parts[1].until, forward))
      context.smt.clause(...literals)
    }
  }
  return true
}

function endedBefore({ analysis, start }: LogicContext, rank: number, event: EventId, then: EventId): Literal {
  return atLeast(start[then], start[event], analysis.duration(event, rank))
}

/** The rank's holds by microbatch, where all of them are alike and held from a forward to its backward parts. */
function flightsOf(problem: Problem, rank: number): Flight[] | undefined {
  const [group] = problem.symmetric
  if (problem.ties.length > 0 || group?.length !== problem.microbatches) return undefined
  const flights = new Map<EventId, Hold[]>()
  for (const hold of problem.holds) {
    if (!mayBeOn(problem, hold, rank)) continue
    const { kind } = problem.events[hold.from.event].key
    if (kind !== 'F' || hold.from.at !== 'start' || hold.until.at !== 'end' || hold.until.event === hold.from.event)
      return undefined
    flights.set(hold.from.event, [...(flights.get(hold.from.event) ?? []), hold])
  }
  const sorted = [...flights].sort(([a], [b]) => problem.events[a].key.microbatch - problem.events[b].key.microbatch)
  if (sorted.length !== problem.microbatches) return undefined
  return sorted.map(([forward, holds]) => ({ forward, parts: partsOf(problem, holds) }))
}

/** Input (or whole backward) part first. Only a second part may hold nothing, and is then left out by the holds. */
function partsOf(problem: Problem, holds: readonly Hold[]): Flight['parts'] {
  const order = (hold: Hold) => (problem.events[hold.until.event].key.kind === 'W' ? 1 : 0)
  return [...holds].sort((a, b) => order(a) - order(b)).map(({ bytes, until }) => ({ bytes, until: until.event }))
}

function mayBeOn(problem: Problem, { where }: Hold, rank: number): boolean {
  return 'rank' in where ? where.rank === rank : problem.events[where.rankOf].modes.some(mode => mode.rank === rank)
}
