import { range } from '../../../base/arrays.ts'
import type { CommunicationModel } from '../../../schedule/measured.ts'
import type { Edge, EventId } from '../../../schedule/problem.ts'
import type { Analysis } from '../../analysis.ts'
import { atLeast, no, yes } from '../../model/builder.ts'
import type { Literal, Variable } from '../../model/types.ts'
import { afterEnd, endOf, type LogicContext, unlessAllOn } from './context.ts'

/** A transfer on one pair of ranks: its start, its length in units, and what is false exactly where it takes place. */
type Use = {
  readonly edge: Edge
  readonly start: Variable
  readonly from: number
  readonly to: number
  readonly ticks: number
  readonly unless: readonly Literal[]
}

/**
 * Transfer group (docs/decisions/0002-communication-models.md). Consumes the edges between ranks. Creates one start per
 * transfer, after its producer and before its consumer; under `link` one choice per two transfers of a pair of ranks, in
 * the order in which they are ready; under `blocking` one per transfer and whatever else may be on one of its ranks.
 * Notes the starts in the context. What is ready at one tick goes either way on a link, since names may have been traded;
 * a link may idle where nothing depends on it: relaxations both.
 */
export function addTransfers(context: LogicContext, model: CommunicationModel): void {
  if (model === 'latency') return
  const uses = context.analysis.problem.edges.flatMap(edge => usesOf(context, edge))
  for (const use of uses) place(context, use)
  for (const [i, use] of uses.entries())
    for (const other of uses.slice(i + 1)) {
      if (use.edge === other.edge) continue
      if (model === 'blocking' ? !ranksOf(use).some(rank => ranksOf(other).includes(rank)) : !isOneLink(use, other))
        continue
      const [first, second] = inOrder(context, use, other) ?? []
      if (first && second) follow(context, first, second)
      else if (model === 'link') queue(context, use, other)
      else apart(context, use, other)
    }
  if (model === 'link' && outputsCount(context)) for (const use of uses) serveAtOnce(context, use, uses)
  if (model === 'blocking') for (const use of uses) for (const rank of ranksOf(use)) block(context, use, rank)
}

function isOneLink(a: Use, b: Use): boolean {
  return a.from === b.from && a.to === b.to
}

function ranksOf({ from, to }: Use): readonly number[] {
  return [from, to]
}

/** Every pair of ranks that an edge's transfer may run between. */
function usesOf(context: LogicContext, edge: Edge): Use[] {
  const { analysis, candidates, transfers } = context
  if (edge.lag < 0) return []
  const uses: Use[] = []
  for (const from of candidates[edge.from]) {
    for (const to of candidates[edge.to]) {
      const ticks = analysis.lag(edge, from, to)
      const left = unlessAllOn(context, [edge.from], from)
      const right = unlessAllOn(context, [edge.to], to)
      if (ticks === 0 || !left || !right) continue
      const start = transfers.get(edge.id) ?? startOf(context, edge)
      transfers.set(edge.id, start)
      uses.push({ edge, start, from, to, ticks, unless: [...left, ...right] })
    }
  }
  return uses
}

/** A start in the window that producer and consumer leave; where no transfer takes place it means nothing. */
function startOf({ analysis, smt, candidates }: LogicContext, edge: Edge): Variable {
  const lags = candidates[edge.from].flatMap(from => candidates[edge.to].map(to => analysis.lag(edge, from, to)))
  const shortest = Math.min(...lags.filter(ticks => ticks > 0))
  const earliest = analysis.head[edge.from] + analysis.minDuration(edge.from)
  return smt.int(earliest, Math.max(earliest, analysis.latest[edge.to] - shortest))
}

/** After its producer has ended, and before its consumer starts. */
function place(context: LogicContext, { edge, start: at, from, ticks, unless }: Use): void {
  const { smt, start } = context
  smt.clause(...unless, afterEnd(context, at, edge.from, from))
  smt.clause(...unless, atLeast(start[edge.to], at, ticks))
}

/**
 * Two transfers of a link whose order loses nothing: of equal length, with producers and consumers that follow each other
 * in one order. If the later of two such went first they could trade places: the earlier one's data is there by then, and
 * the later one is not needed sooner.
 */
function inOrder({ analysis }: LogicContext, a: Use, b: Use): readonly [first: Use, second: Use] | undefined {
  if (!isOneLink(a, b) || a.ticks !== b.ticks) return undefined
  const precedes = (one: Use, two: Use) =>
    isBefore(analysis, one.edge.from, two.edge.from) && isBefore(analysis, one.edge.to, two.edge.to)
  return precedes(a, b) ? [a, b] : precedes(b, a) ? [b, a] : undefined
}

/** Whether the known precedences let one event end before the other starts, or they are the same. */
function isBefore(analysis: Analysis, one: EventId, two: EventId): boolean {
  return one === two || analysis.distancesFrom(one)[two] > Number.NEGATIVE_INFINITY
}

/** The first ends before the second starts. */
function follow({ smt }: LogicContext, first: Use, second: Use): void {
  smt.clause(...first.unless, ...second.unless, atLeast(second.start, first.start, first.ticks))
}

/** One ends before the other starts. */
function apart({ smt }: LogicContext, a: Use, b: Use): void {
  smt.clause(...a.unless, ...b.unless, atLeast(b.start, a.start, a.ticks), atLeast(a.start, b.start, b.ticks))
}

/** Apart, and whichever is ready first goes first. */
function queue(context: LogicContext, a: Use, b: Use): void {
  apart(context, a, b)
  for (const [first, second] of [
    [a, b],
    [b, a]
  ]) {
    const [one, two] = [endOf(context, first.edge.from, first.from), endOf(context, second.edge.from, second.from)]
    const notFirst = atLeast(one.variable, two.variable, two.offset - one.offset)
    context.smt.clause(...first.unless, ...second.unless, notFirst, atLeast(second.start, first.start, first.ticks))
  }
}

/** Whether it matters where an output is while its transfer waits. */
function outputsCount({ analysis: { problem } }: LogicContext): boolean {
  const limited = problem.capacity.some(limit => limit !== undefined)
  return limited && problem.holds.some(({ from, until }) => (from.arrival ?? until.arrival) !== undefined)
}

/** A link never idles while something is ready: a transfer starts when it is ready, or when another one of its link ends. */
function serveAtOnce(context: LogicContext, use: Use, uses: readonly Use[]): void {
  const { smt } = context
  const ends = uses
    .filter(other => other.edge !== use.edge && isOneLink(use, other))
    .map(other => {
      const follows = smt.bool()
      smt.clause(no(follows), atLeast(other.start, use.start, -other.ticks))
      smt.clause(no(follows), atLeast(use.start, other.start, other.ticks))
      for (const absent of other.unless)
        if ('bool' in absent) smt.clause(no(follows), { ...absent, value: !absent.value })
      return yes(follows)
    })
  const ready = endOf(context, use.edge.from, use.from)
  const atOnce = atLeast(ready.variable, use.start, -ready.offset)
  smt.clause(...use.unless, atOnce, ...ends)
}

/** Nothing that may run on the rank runs beside the transfer. */
function block(context: LogicContext, use: Use, rank: number): void {
  const { analysis, smt, start, candidates } = context
  const events: readonly EventId[] = [
    ...(analysis.body[rank] ?? []),
    ...analysis.free.filter(event => candidates[event].includes(rank))
  ]
  for (const event of events) {
    const here = unlessAllOn(context, [event], rank)
    if (!here || isSettled(context, use, event)) continue
    smt.clause(
      ...use.unless,
      ...here,
      atLeast(start[event], use.start, use.ticks),
      afterEnd(context, use.start, event, rank)
    )
  }
}

/** Whether an event's side of a transfer is known: it is over before the producer starts, or waits for the consumer. */
function isSettled({ analysis }: LogicContext, { edge }: Use, event: EventId): boolean {
  return isBefore(analysis, event, edge.from) || isBefore(analysis, edge.to, event)
}

/** Start of every edge's transfer in ticks; NaN where it takes none on the ranks that were chosen. */
export function transferTimes(
  { analysis, transfers }: LogicContext,
  rankIn: (event: EventId) => number,
  values: ArrayLike<number>
): Float64Array {
  const { edges } = analysis.problem
  const times = new Float64Array(edges.length).fill(Number.NaN)
  for (const id of range(edges.length)) {
    const variable = transfers.get(id)
    const edge = edges[id]
    if (variable === undefined || analysis.lag(edge, rankIn(edge.from), rankIn(edge.to)) === 0) continue
    times[id] = values[variable] * analysis.unit
  }
  return times
}
