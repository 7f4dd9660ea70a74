import type { Edge, EventId, Point } from '../../../schedule/problem.ts'
import type { Analysis } from '../../analysis.ts'
import type { CpBuilder } from '../../model/builder.ts'
import type { CpLiteral, Variable } from '../../model/types.ts'

/** What the groups of an interval model share. */
export type IntervalContext = {
  readonly analysis: Analysis
  readonly cp: CpBuilder
  readonly start: readonly Variable[]
  readonly end: readonly Variable[]
  readonly candidates: readonly (readonly number[])[]
  /** Owner literal at event * ranks + rank, where an event has several candidates. */
  readonly own: ReadonlyMap<number, CpLiteral>
}

/** The rank of an event in a point of the model. */
export function rankIn(
  { analysis, candidates, own }: Pick<IntervalContext, 'analysis' | 'candidates' | 'own'>,
  values: ArrayLike<number>,
  event: EventId
): number {
  const ranks = candidates[event]
  const { ranks: width } = analysis.problem
  return ranks.find(rank => values[own.get(event * width + rank)?.variable ?? -1] === 1) ?? ranks[0]
}

/** The lag of an edge into a stage in a point of the model. */
export function lagIn(context: IntervalContext, values: ArrayLike<number>, edge: Edge): number {
  return context.analysis.lag(edge, rankIn(context, values, edge.from), context.candidates[edge.to][0])
}

/** Literals that all hold exactly where the events are all on the rank; undefined where they never are. */
export function allOn(context: IntervalContext, events: readonly EventId[], rank: number): CpLiteral[] | undefined {
  const literals = new Map<Variable, CpLiteral>()
  for (const event of events) {
    if (!context.candidates[event].includes(rank)) return undefined
    const literal = context.own.get(event * context.analysis.problem.ranks + rank)
    if (literal) literals.set(literal.variable, literal)
  }
  return [...literals.values()]
}

/** A moment as a variable: a start, an end, or an arrival, which gets a variable of its own. */
export class Moments {
  readonly #arrivals = new Map<string, Variable>()

  constructor(readonly context: IntervalContext) {}

  at({ event, at, arrival }: Point): Variable {
    const { start, end } = this.context
    if (arrival === undefined) return at === 'start' ? start[event] : end[event]
    const key = `${event}/${arrival}`
    const known = this.#arrivals.get(key)
    if (known !== undefined) return known
    const made = this.#arrival(event, arrival)
    this.#arrivals.set(key, made)
    return made
  }

  #arrival(event: EventId, arrival: number): Variable {
    const { analysis, cp, end, candidates } = this.context
    const edge = analysis.problem.edges[arrival]
    const arrives = (values: ArrayLike<number>) => values[end[event]] + lagIn(this.context, values, edge)
    const variable = cp.int(0, 2 * analysis.horizon, arrives)
    for (const rank of candidates[event]) {
      const lag = analysis.lag(edge, rank, candidates[edge.to][0])
      const when = allOn(this.context, [event], rank) ?? []
      cp.after(variable, end[event], lag, when)
      cp.after(end[event], variable, -lag, when)
    }
    return variable
  }
}
