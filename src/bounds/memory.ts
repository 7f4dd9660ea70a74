import { range } from '../base/arrays.ts'
import type { Byte } from '../schedule/measured.ts'
import type { Point, Problem, Sequences } from '../schedule/problem.ts'

/** Bytes that a rank needs whatever the timing, and how many of its fixed events had started when it needs them. */
export type MemoryNeed = { readonly rank: number; readonly fixed: Byte; readonly needed: Byte; readonly step: number }

/**
 * Least peak of each rank (P entries) under a fixed body order: holds that begin and end with events of one rank overlap
 * or not by that order alone, so counting along it is a lower bound for every timing.
 */
export function bodyMemoryNeeds(problem: Problem, body: Sequences): MemoryNeed[] {
  const position = new Map<number, { rank: number; step: number }>()
  for (const [rank, sequence] of body.entries())
    for (const [step, event] of sequence.entries()) position.set(event, { rank, step })
  const changes = range(problem.ranks).map(rank => new Float64Array(2 * body[rank].length + 2))
  for (const hold of problem.holds) {
    const [from, until] = [slotOf(hold.from, position), slotOf(hold.until, position)]
    if (!from || !until || from.rank !== until.rank || hold.from.arrival !== undefined || until.slot <= from.slot)
      continue
    // An end of zero length may fall on the very start that is counted: such a hold proves nothing.
    if (hold.until.at !== 'end' || problem.events[hold.until.event].modes[0].duration === 0) continue
    if (!('rankOf' in hold.where) || position.get(hold.where.rankOf)?.rank !== from.rank) continue
    changes[from.rank][from.slot] += hold.bytes
    changes[from.rank][until.slot] -= hold.bytes
  }
  return changes.map((list, rank) => peakOf(list, rank, problem.fixed[rank]))
}

/** Starts are even slots and ends odd ones, so that an end comes before the next start. */
function slotOf(
  point: Point,
  position: ReadonlyMap<number, { rank: number; step: number }>
): { rank: number; slot: number } | undefined {
  const at = position.get(point.event)
  return at && { rank: at.rank, slot: 2 * at.step + (point.at === 'end' ? 1 : 0) }
}

function peakOf(changes: Float64Array, rank: number, fixed: Byte): MemoryNeed {
  let [bytes, needed, step] = [fixed, fixed, -1]
  for (let slot = 0; slot < changes.length; slot++) {
    bytes += changes[slot]
    if (bytes > needed) [needed, step] = [bytes, slot >> 1]
  }
  return { rank, fixed, needed, step }
}
