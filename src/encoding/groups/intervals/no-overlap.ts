import type { EventId } from '../../../schedule/problem.ts'
import { alikeOrder, type FixedOrder } from '../logic/no-overlap.ts'
import { allOn, type IntervalContext } from './context.ts'

/**
 * No-overlap group. Consumes occupying events. Creates one optional interval per event and rank and one no-overlap per
 * rank; for events of length 0, which a no-overlap may let into another, the choice "before or after" per pair. Alike
 * encodes on one rank, and pairs that the problem orders, keep their order.
 */
export function addNoOverlap(context: IntervalContext, fixed: FixedOrder): void {
  const { analysis, cp, start, end, candidates } = context
  const { problem } = analysis
  for (let rank = 0; rank < problem.ranks; rank++) {
    const here = problem.events
      .filter(({ id, occupies }) => occupies && candidates[id].includes(rank))
      .map(({ id }) => id)
    const long = here.filter(id => analysis.duration(id, rank) > 0)
    const intervals = long.map(id => {
      const presence = allOn(context, [id], rank)?.[0]
      const size = analysis.duration(id, rank)
      return cp.interval({ start: start[id], end: end[id], size, ...(presence ? { presence } : {}) })
    })
    if (intervals.length > 1) cp.add({ kind: 'no-overlap', intervals })
    for (const id of here) if (!long.includes(id)) for (const other of here) addMoment(context, id, other, rank)
    for (const [i, a] of here.entries()) for (const b of here.slice(i + 1)) addFixed(context, a, b, rank, fixed)
  }
}

/** An event of length 0 does not stand inside another one (which may be of length 0 itself: then nothing is inside). */
function addMoment(context: IntervalContext, moment: EventId, other: EventId, rank: number): void {
  const { analysis, cp, start, end } = context
  const when = allOn(context, [moment, other], rank)
  if (moment === other || !when || analysis.duration(other, rank) === 0) return
  if (isKnown(context, moment, other) || isKnown(context, other, moment)) return
  const before = cp.bool(values => values[start[other]] >= values[end[moment]])
  cp.after(start[other], end[moment], 0, [...when, { variable: before, value: true }])
  cp.after(start[moment], end[other], 0, [...when, { variable: before, value: false }])
}

function isKnown({ analysis }: IntervalContext, first: EventId, second: EventId): boolean {
  return analysis.distancesFrom(first)[second] >= analysis.minDuration(first)
}

function addFixed(context: IntervalContext, a: EventId, b: EventId, rank: number, fixed: FixedOrder): void {
  const { analysis, cp, start, end } = context
  if (analysis.position[a] >= 0 && analysis.position[b] >= 0) return
  const order = alikeOrder(analysis, a, b) ?? fixed(a, b, rank)
  const when = order && allOn(context, [a, b], rank)
  if (!when) return
  const [first, second] = order === 'before' ? [a, b] : [b, a]
  if (!isKnown(context, first, second)) cp.after(start[second], end[first], 0, when)
}
