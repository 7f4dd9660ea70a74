import { range } from '../../../base/arrays.ts'
import type { EventId } from '../../../schedule/problem.ts'
import type { Analysis } from '../../analysis.ts'
import type { SmtBuilder } from '../../model/builder.ts'
import { no, yes } from '../../model/builder.ts'
import type { Variable } from '../../model/types.ts'

/**
 * Assignment group. Consumes events with several modes and the ties between them. Creates one Boolean per tied group and
 * rank that the windows leave open, exactly one of them true. A group that fits no rank makes the model false.
 */
export function addOwners(analysis: Analysis, smt: SmtBuilder): { candidates: number[][]; own: Map<number, Variable> } {
  const { problem } = analysis
  const candidates = problem.events.map(({ modes }) => modes.map(({ rank }) => rank))
  const own = new Map<number, Variable>()
  for (const group of tiedGroups(analysis)) {
    const open = range(problem.ranks).filter(rank => group.every(event => fits(analysis, event, rank)))
    for (const event of group) candidates[event] = open
    if (open.length === 0) smt.clause()
    if (open.length < 2) continue
    const owners = open.map(() => smt.bool())
    for (const event of group) for (const [i, rank] of open.entries()) own.set(event * problem.ranks + rank, owners[i])
    smt.clause(...owners.map(yes))
    for (const [i, a] of owners.entries()) for (const b of owners.slice(i + 1)) smt.clause(no(a), no(b))
  }
  return { candidates, own }
}

/** Events that choose a rank, grouped by who must choose alike. */
export function tiedGroups({ problem }: Pick<Analysis, 'problem'>): EventId[][] {
  const groups = new Map<EventId, EventId[]>()
  for (const { id, modes } of problem.events) if (modes.length > 1) groups.set(id, [id])
  for (const { events } of problem.ties) {
    const members = [...new Set(events.flatMap(event => groups.get(event) ?? []))]
    for (const event of members) groups.set(event, members)
  }
  return [...new Set(groups.values())]
}

/** Whether an event can run on a rank at all, going by its own release and the shortest ways in and out. */
function fits(analysis: Analysis, event: EventId, rank: number): boolean {
  const duration = analysis.duration(event, rank)
  if (Number.isNaN(duration)) return false
  return earliestOn(analysis, event, rank) <= latestOn(analysis, event, rank)
}

/** Earliest start of an event on one rank. */
export function earliestOn(analysis: Analysis, event: EventId, rank: number): number {
  let earliest = Math.max(analysis.head[event], analysis.release(event, rank))
  for (const edge of analysis.incoming[event]) {
    const from = analysis.rankOf[edge.from]
    if (from >= 0)
      earliest = Math.max(
        earliest,
        analysis.head[edge.from] + analysis.minDuration(edge.from) + analysis.lag(edge, from, rank)
      )
  }
  return earliest
}

/** Latest start of an event on one rank. */
export function latestOn(analysis: Analysis, event: EventId, rank: number): number {
  const duration = analysis.duration(event, rank)
  let latest = analysis.horizon - duration
  for (const edge of analysis.outgoing[event]) {
    const to = analysis.rankOf[edge.to]
    const lag = to >= 0 ? analysis.lag(edge, rank, to) : 0
    latest = Math.min(latest, analysis.latest[edge.to] - duration - lag)
  }
  return latest
}
