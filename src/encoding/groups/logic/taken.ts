import { range } from '../../../base/arrays.ts'
import { atLeast, no, yes } from '../../model/builder.ts'
import type { Variable } from '../../model/types.ts'
import type { Taken, Uneven } from '../../taken.ts'
import type { LogicContext } from './context.ts'

/**
 * Positions group. Consumes the microbatches that take positions, their stand-ins and the stages where they take unequal
 * times. Creates one Boolean per microbatch and position, exactly one of them true and none shared; where true, the
 * microbatch's stand-ins start with that position's events, and its lengths count there. Microbatches that are alike take
 * positions in ascending order. Returns the Booleans by microbatch.
 */
export function addTaken(context: LogicContext, taken: Taken): ReadonlyMap<number, readonly Variable[]> {
  const { smt } = context
  const positions = range(taken.original.microbatches)
  const takes = new Map(taken.microbatches.map(m => [m, positions.map(() => smt.bool())] as const))
  const all = [...takes.values()]
  for (const [index, one] of all.entries()) {
    smt.clause(...one.map(yes))
    for (const [position, bool] of one.entries()) {
      for (const other of one.slice(position + 1)) smt.clause(no(bool), no(other))
      for (const other of all.slice(index + 1)) smt.clause(no(bool), no(other[position]))
    }
  }
  addStandIns(context, taken, takes)
  for (const series of taken.uneven) addLengths(context, series, takes)
  addAscending(context, taken, takes)
  return takes
}

type Takes = ReadonlyMap<number, readonly Variable[]>

function addStandIns({ smt, start }: LogicContext, { standIns }: Taken, takes: Takes): void {
  for (const { event, microbatch, positions } of standIns)
    for (const [position, bool] of (takes.get(microbatch) ?? []).entries()) {
      smt.clause(no(bool), atLeast(start[event], start[positions[position]], 0))
      smt.clause(no(bool), atLeast(start[positions[position]], start[event], 0))
    }
}

/** An end for each position, as long after its start as the microbatch that takes it needs. */
function addLengths({ smt, start, ends, analysis }: LogicContext, { positions, ticks }: Uneven, takes: Takes): void {
  for (const [position, event] of positions.entries()) {
    const end = smt.int(analysis.head[event] + analysis.minDuration(event), analysis.horizon)
    ends.set(event, end)
    smt.clause(atLeast(end, start[event], analysis.minDuration(event)))
    for (const [microbatch, booleans] of takes)
      smt.clause(no(booleans[position]), atLeast(end, start[event], ticks[microbatch] / analysis.unit))
  }
}

function addAscending({ smt }: LogicContext, { original }: Taken, takes: Takes): void {
  for (const group of original.symmetric)
    for (const [index, microbatch] of group.slice(1).entries()) {
      const [before, after] = [takes.get(group[index]), takes.get(microbatch)]
      if (before && after)
        for (const [position, bool] of after.entries()) smt.clause(no(bool), ...before.slice(0, position).map(yes))
    }
}
