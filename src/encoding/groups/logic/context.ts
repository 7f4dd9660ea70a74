import type { EventId } from '../../../schedule/problem.ts'
import type { Analysis } from '../../analysis.ts'
import type { SmtBuilder } from '../../model/builder.ts'
import { no, yes } from '../../model/builder.ts'
import type { Literal, Variable } from '../../model/types.ts'

/** What the groups of a timed decision model share. Every event has a start; free events with several modes an owner. */
export type LogicContext = {
  readonly analysis: Analysis
  readonly smt: SmtBuilder
  /** Start variable of each event. */
  readonly start: readonly Variable[]
  /** Ranks that each event may run on within its window. */
  readonly candidates: readonly (readonly number[])[]
  /** Owner Boolean at event * ranks + rank, where an event has several candidates. */
  readonly own: Map<number, Variable>
}

/** Literal "event runs on rank": none where that is certain, false where it cannot. */
export function onRank(context: LogicContext, event: EventId, rank: number): Literal | 'always' | 'never' {
  const candidates = context.candidates[event]
  if (!candidates.includes(rank)) return 'never'
  if (candidates.length === 1) return 'always'
  return yes(context.own.get(event * context.analysis.problem.ranks + rank) as Variable)
}

/** Literals that are false exactly where all events run on the rank; undefined where they never all do. */
export function unlessAllOn(context: LogicContext, events: readonly EventId[], rank: number): Literal[] | undefined {
  const literals = new Map<Variable, Literal>()
  for (const event of events) {
    const here = onRank(context, event, rank)
    if (here === 'never') return undefined
    if (here !== 'always' && 'bool' in here) literals.set(here.bool, no(here.bool))
  }
  return [...literals.values()]
}
