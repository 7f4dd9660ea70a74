import type { Edge } from '../../../schedule/problem.ts'
import { atLeast } from '../../model/builder.ts'
import type { Literal } from '../../model/types.ts'
import { endOf, type LogicContext, onRank, unlessAllOn } from './context.ts'

/**
 * Precedence group. Consumes the edges with their durations and lags. Creates, per edge, one difference for what holds
 * whatever the ranks, and one conditional difference per larger value that some ranks demand.
 */
export function addPrecedence(context: LogicContext): void {
  for (const edge of context.analysis.problem.edges) addEdge(context, edge)
}

function addEdge(context: LogicContext, edge: Edge): void {
  const { analysis, smt, start } = context
  const [sources, targets] = [context.candidates[edge.from], context.candidates[edge.to]]
  const gap = (from: number, to: number) => endOf(context, edge.from, from).offset + analysis.lag(edge, from, to)
  if (sources.length > 1 && targets.length > 1) {
    for (const from of sources) for (const to of targets) addPair(context, edge, from, to, gap(from, to))
    return
  }
  const gaps = sources.flatMap(from =>
    targets.map(to => ({ rank: sources.length > 1 ? from : to, gap: gap(from, to) }))
  )
  const chooser = sources.length > 1 ? edge.from : edge.to
  const { variable } = endOf(context, edge.from, sources[0])
  for (const value of new Set(gaps.map(({ gap }) => gap))) {
    if (!context.ends.has(edge.from) && value <= analysis.head[edge.to] - analysis.latest[edge.from]) continue
    const less: Literal[] = []
    for (const { rank, gap } of gaps) {
      const here = onRank(context, chooser, rank)
      if (gap < value && typeof here === 'object') less.push(here)
    }
    smt.clause(...less, atLeast(start[edge.to], variable, value))
  }
}

/** Both ends choose: one conditional difference per pair of ranks (tied ends only ever meet on one rank). */
function addPair(context: LogicContext, edge: Edge, from: number, to: number, gap: number): void {
  const left = unlessAllOn(context, [edge.from], from)
  const right = unlessAllOn(context, [edge.to], to)
  if (!left || !right) return
  const sameChoice =
    context.own.get(edge.from * context.analysis.problem.ranks + from) ===
    context.own.get(edge.to * context.analysis.problem.ranks + from)
  if (sameChoice && from !== to) return
  const unless = new Map([...left, ...right].map(literal => ['bool' in literal ? literal.bool : -1, literal]))
  context.smt.clause(...unless.values(), atLeast(context.start[edge.to], context.start[edge.from], gap))
}
