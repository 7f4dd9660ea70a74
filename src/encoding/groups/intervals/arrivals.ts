import type { Edge, EventId } from '../../../schedule/problem.ts'
import type { CpLiteral } from '../../model/types.ts'
import type { Positions } from '../../positions.ts'
import { allOn, type IntervalContext, lagIn } from './context.ts'

/**
 * Arrivals group. Consumes the edges on which microbatches arrive and the entries by position. Creates, per entry and
 * microbatch, a literal "has arrived by then" and one row: at entry k at least k + 1 have arrived.
 */
export function addArrivals(context: IntervalContext, { arrivals, entries }: Positions): void {
  const { cp } = context
  const free = entries.length - arrivals.size
  const before = new Map<number, CpLiteral>()
  for (const [position, entry] of entries.slice(0, -1).entries()) {
    const literals = [...arrivals].map(([microbatch, edges]) => {
      const literal = arrivedAt(context, entry, edges)
      const earlier = before.get(microbatch)
      if (earlier) cp.add({ kind: 'or', literals: [{ ...earlier, value: false }, literal] })
      before.set(microbatch, literal)
      return literal
    })
    const needed = position + 1 - free
    if (needed > 0) cp.add({ kind: 'linear', terms: literals.map(({ variable }) => [variable, 1]), lower: needed })
  }
}

function arrivedAt(context: IntervalContext, entry: EventId, edges: readonly Edge[]): CpLiteral {
  const { analysis, cp, start, end, candidates } = context
  const isThere = (values: ArrayLike<number>) =>
    edges.every(edge => values[start[entry]] >= values[end[edge.from]] + lagIn(context, values, edge))
  const arrived = { variable: cp.bool(isThere), value: true }
  for (const edge of edges) {
    const lags = candidates[edge.from].map(rank => ({ rank, lag: analysis.lag(edge, rank, candidates[edge.to][0]) }))
    const least = Math.min(...lags.map(({ lag }) => lag))
    cp.after(start[entry], end[edge.from], least, [arrived])
    for (const { rank, lag } of lags)
      if (lag > least)
        cp.after(start[entry], end[edge.from], lag, [arrived, ...(allOn(context, [edge.from], rank) ?? [])])
  }
  return arrived
}
