import { range, sum } from '../../../base/arrays.ts'
import type { Hold } from '../../../schedule/problem.ts'
import { holderOf, roomOf } from '../../holds.ts'
import { allOn, type IntervalContext, Moments } from './context.ts'

/**
 * Memory group, exact. Consumes the holds of ranks with a capacity. Creates, per rank, one optional interval per hold, from
 * where it begins to where it ends, and one cumulative over their bytes. Ranks that cannot overflow get none.
 */
export function addMemory(context: IntervalContext): void {
  const moments = new Moments(context)
  for (const rank of range(context.analysis.problem.ranks)) {
    const room = roomOf(context.analysis.problem, rank)
    if (room === undefined) continue
    if (room < 0) context.cp.add({ kind: 'or', literals: [] })
    const holds = context.analysis.problem.holds.filter(hold => isHere(context, hold, rank))
    if (room < 0 || sum(holds.map(({ bytes }) => bytes)) <= room) continue
    const intervals = holds.map(hold => holdInterval(context, moments, hold, rank))
    context.cp.add({ kind: 'cumulative', intervals, demands: holds.map(({ bytes }) => bytes), capacity: room })
  }
}

function isHere(context: IntervalContext, hold: Hold, rank: number): boolean {
  const holder = holderOf(hold)
  return holder === undefined
    ? 'rank' in hold.where && hold.where.rank === rank
    : context.candidates[holder].includes(rank)
}

function holdInterval(context: IntervalContext, moments: Moments, hold: Hold, rank: number): number {
  const { cp, analysis } = context
  const holder = holderOf(hold)
  const presence = holder === undefined ? undefined : allOn(context, [holder], rank)?.[0]
  const [start, end] = [moments.at(hold.from), moments.at(hold.until)]
  const lasts = (values: ArrayLike<number>) => Math.max(0, values[end] - values[start])
  const size = { variable: cp.int(0, 2 * analysis.horizon, lasts) }
  return cp.interval({
    start,
    end,
    size,
    ...(presence ? { presence } : {})
  })
}
