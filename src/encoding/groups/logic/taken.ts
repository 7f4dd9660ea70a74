import { groupBy } from '../../../base/arrays.ts'
import { atLeast, no, yes } from '../../model/builder.ts'
import type { Variable } from '../../model/types.ts'
import type { Taken } from '../../taken.ts'
import type { LogicContext } from './context.ts'

/**
 * Positions group. Consumes the stand-ins of microbatches. Creates one Boolean per microbatch with encoder work and
 * position, exactly one of them true and none shared; where true, the microbatch's stand-ins start with that position's
 * events. Microbatches that are alike take positions in ascending order. Returns the Booleans by microbatch.
 */
export function addTaken(
  { smt, start }: LogicContext,
  { original, standIns }: Taken
): ReadonlyMap<number, readonly Variable[]> {
  const takes = new Map<number, readonly Variable[]>()
  for (const [microbatch, own] of groupBy(standIns, standIn => standIn.microbatch)) {
    const booleans = own[0].positions.map(() => smt.bool())
    takes.set(microbatch, booleans)
    smt.clause(...booleans.map(yes))
    for (const [position, bool] of booleans.entries()) {
      for (const other of booleans.slice(position + 1)) smt.clause(no(bool), no(other))
      for (const { event, positions } of own) {
        smt.clause(no(bool), atLeast(start[event], start[positions[position]], 0))
        smt.clause(no(bool), atLeast(start[positions[position]], start[event], 0))
      }
    }
  }
  const all = [...takes.values()]
  for (const [index, one] of all.entries())
    for (const other of all.slice(index + 1))
      for (const [position, bool] of one.entries()) smt.clause(no(bool), no(other[position]))
  for (const group of original.symmetric)
    for (const [index, microbatch] of group.slice(1).entries()) {
      const [before, after] = [takes.get(group[index]), takes.get(microbatch)]
      if (before && after)
        for (const [position, bool] of after.entries()) smt.clause(no(bool), ...before.slice(0, position).map(yes))
    }
  return takes
}
