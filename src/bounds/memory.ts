import { range } from '../base/arrays.ts'
import type { Byte } from '../schedule/measured.ts'
import type { EventId, Point, Problem, Sequences } from '../schedule/problem.ts'

/** Bytes that a rank needs whatever the timing, and how many of its fixed events had started when it needs them. */
export type MemoryNeed = { readonly rank: number; readonly fixed: Byte; readonly needed: Byte; readonly step: number }

/**
 * Least peak of each rank (P entries) under a fixed body order: holds that begin and end with events of one rank overlap
 * or not by that order alone, so counting along it is a lower bound for every timing.
 */
export function bodyMemoryNeeds(problem: Problem, body: Sequences): MemoryNeed[] {
  const changes = range(problem.ranks).map(rank => new Float64Array(2 * body[rank].length + 2))
  for (const { rank, from, until, bytes } of bodyHolds(problem, body)) {
    changes[rank][from] += bytes
    changes[rank][until] -= bytes
  }
  return changes.map((list, rank) => peakOf(list, rank, problem.fixed[rank]))
}

/** Bytes that a rank holds whatever the timing while an encode runs there, at the place of its body where that is least. */
export type EncodeNeed = { readonly event: EventId; readonly rank: number; readonly needed: Byte }

/**
 * For every encode that takes time, and every rank that may run it, the least that the rank then holds: its own bytes beside
 * what the fixed body surely holds there, over all places before the first event of its microbatch on that rank.
 */
export function encodeMemoryNeeds(problem: Problem, body: Sequences): EncodeNeed[][] {
  const changes = range(problem.ranks).map(rank => new Float64Array(body[rank].length + 2))
  for (const { rank, from, until, bytes } of bodyHolds(problem, body)) {
    // In the gap before step k live the holds that began before it and end with it or later.
    changes[rank][(from >> 1) + 1] += bytes
    changes[rank][(until >> 1) + 1] -= bytes
  }
  const least = changes.map((list, rank) => leastSoFar(list, body[rank].length))
  const first = body.map(sequence => {
    const steps = new Map<number, number>()
    for (const [step, event] of sequence.entries()) {
      const { microbatch } = problem.events[event].key
      if (!steps.has(microbatch)) steps.set(microbatch, step)
    }
    return steps
  })
  const own = new Float64Array(problem.events.length)
  for (const { from, bytes } of problem.holds)
    if (from.at === 'start' && from.arrival === undefined) own[from.event] += bytes
  return problem.events
    .filter(({ key, modes }) => key.kind === 'E' && modes.every(mode => mode.duration > 0))
    .map(({ id, key, modes }) =>
      modes.map(({ rank }) => {
        const gap = first[rank].get(key.microbatch) ?? body[rank].length
        return { event: id, rank, needed: problem.fixed[rank] + least[rank][gap] + own[id] }
      })
    )
}

/** Level of each gap of a rank (length + 1), each the least of it and all before. */
function leastSoFar(changes: Float64Array, length: number): Float64Array {
  const least = new Float64Array(length + 1)
  let level = 0
  for (let gap = 0; gap <= length; gap++) {
    level += changes[gap]
    least[gap] = gap === 0 ? level : Math.min(least[gap - 1], level)
  }
  return least
}

/** A hold that begins and ends with events of one rank's body; its slots as in `slotOf`. */
type BodyHold = { readonly rank: number; readonly from: number; readonly until: number; readonly bytes: Byte }

function bodyHolds(problem: Problem, body: Sequences): BodyHold[] {
  const position = new Map<number, { rank: number; step: number }>()
  for (const [rank, sequence] of body.entries())
    for (const [step, event] of sequence.entries()) position.set(event, { rank, step })
  return problem.holds.flatMap(hold => {
    const [from, until] = [slotOf(hold.from, position), slotOf(hold.until, position)]
    if (!from || !until || from.rank !== until.rank || hold.from.arrival !== undefined || until.slot <= from.slot)
      return []
    // An end of zero length may fall on the very start that is counted: such a hold proves nothing.
    if (hold.until.at !== 'end' || problem.events[hold.until.event].modes[0].duration === 0) return []
    if (!('rankOf' in hold.where) || position.get(hold.where.rankOf)?.rank !== from.rank) return []
    return [{ rank: from.rank, from: from.slot, until: until.slot, bytes: hold.bytes }]
  })
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
