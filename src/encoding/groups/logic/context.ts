import type { EdgeId, EventId } from '../../../schedule/problem.ts'
import type { Analysis } from '../../analysis.ts'
import type { SmtBuilder } from '../../model/builder.ts'
import { atLeast, no, yes } from '../../model/builder.ts'
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
  /** End variable of each event whose length the model chooses; others end their duration after their start. */
  readonly ends: Map<EventId, Variable>
  /** Start variable of the transfer of each edge that the transfer group places, by edge id. */
  readonly transfers: Map<EdgeId, Variable>
}

/** The end of an event on a rank: a variable, and what has to be added to it. */
export function endOf(
  { analysis, start, ends }: LogicContext,
  event: EventId,
  rank: number
): { readonly variable: Variable; readonly offset: number } {
  const end = ends.get(event)
  return end === undefined
    ? { variable: start[event], offset: analysis.duration(event, rank) }
    : { variable: end, offset: 0 }
}

/** Literal "a start lies at least `lag` after an event on a rank has ended". */
export function afterEnd(context: LogicContext, start: Variable, event: EventId, rank: number, lag = 0): Literal {
  const { variable, offset } = endOf(context, event, rank)
  return atLeast(start, variable, offset + lag)
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
