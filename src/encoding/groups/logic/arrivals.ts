import type { Edge, EventId } from '../../../schedule/problem.ts'
import { atLeast, no, type SmtBuilder, yes } from '../../model/builder.ts'
import type { Literal, Variable } from '../../model/types.ts'
import type { Positions } from '../../positions.ts'
import { type LogicContext, onRank } from './context.ts'

/**
 * Arrivals group. Consumes the edges on which microbatches arrive and the entries by position. Creates, per entry and
 * microbatch, a Boolean "has not arrived by then", and a counter: at entry k all but k + 1 may be late. The last entry
 * waits for everything by edges of its own.
 */
export function addArrivals(context: LogicContext, { arrivals, entries }: Positions): void {
  const before = new Map<number, Variable>()
  const free = entries.length - arrivals.size
  for (const [position, entry] of entries.slice(0, -1).entries()) {
    const allowed = entries.length - (position + 1)
    const late = [...arrivals].flatMap(([microbatch, edges]) => {
      const variable = lateAt(context, entry, edges)
      const earlier = before.get(microbatch)
      // Who is late for an entry was late for the ones before.
      if (earlier !== undefined) context.smt.clause(no(variable), yes(earlier))
      before.set(microbatch, variable)
      return [variable]
    })
    if (late.length > allowed && position + 1 > free) atMost(context.smt, late, allowed)
  }
}

/** A Boolean that is true at least when one of the edges delivers after the entry starts. */
function lateAt(context: LogicContext, entry: EventId, edges: readonly Edge[]): Variable {
  const { analysis, smt, start, candidates } = context
  const late = smt.bool()
  for (const edge of edges) {
    const [to] = candidates[edge.to]
    const gaps = candidates[edge.from].map(rank => ({
      rank,
      gap: analysis.duration(edge.from, rank) + analysis.lag(edge, rank, to)
    }))
    for (const value of new Set(gaps.map(({ gap }) => gap))) {
      const less = gaps.flatMap(({ rank, gap }): Literal[] => {
        const here = onRank(context, edge.from, rank)
        return gap < value && typeof here === 'object' ? [here] : []
      })
      smt.clause(yes(late), ...less, atLeast(start[entry], start[edge.from], value))
    }
  }
  return late
}

/** At most `most` of the Booleans hold: counted one after the other, in clauses alone. */
function atMost(smt: SmtBuilder, booleans: readonly Variable[], most: number): void {
  let counts: Variable[] = []
  for (const [index, boolean] of booleans.entries()) {
    if (most === 0) {
      smt.clause(no(boolean))
      continue
    }
    if (index >= most) smt.clause(no(boolean), ...(counts[most - 1] === undefined ? [] : [no(counts[most - 1])]))
    const next: Variable[] = []
    for (let count = 0; count < Math.min(most, index + 1); count++) {
      const reached = smt.bool()
      if (counts[count] !== undefined) smt.clause(no(counts[count]), yes(reached))
      if (count === 0) smt.clause(no(boolean), yes(reached))
      else smt.clause(no(boolean), no(counts[count - 1]), yes(reached))
      next.push(reached)
    }
    counts = next
  }
}
