import type { EventId } from '../../../schedule/problem.ts'
import { type Analysis, entryOf, taskSignature } from '../../analysis.ts'
import type { Literal } from '../../model/types.ts'
import { afterEnd, type LogicContext, unlessAllOn } from './context.ts'

/** Says of two events on one rank which must come first, where the problem fixes it. */
export type FixedOrder = (a: EventId, b: EventId, rank: number) => 'before' | 'after' | undefined

/**
 * No-overlap group. Consumes the body's chains and the windows. Creates one difference per step of a chain, and per pair
 * with a free event and rank the choice "one ends before the other starts", under "both on this rank". Pairs that the
 * precedences or windows already part are left out; alike encodes on one rank keep the body's order (they can be swapped).
 */
export function addNoOverlap(context: LogicContext, fixed: FixedOrder = () => undefined): void {
  const { analysis, smt, start } = context
  for (const [rank, sequence] of analysis.body.entries()) {
    for (const [place, event] of sequence.entries())
      if (place > 0) smt.clause(afterEnd(context, start[event], sequence[place - 1], rank))
  }
  for (const [i, event] of analysis.free.entries()) {
    const others = analysis.free.slice(i + 1)
    for (const rank of context.candidates[event]) {
      for (const other of others)
        addPair(context, event, other, rank, alikeOrder(analysis, event, other) ?? fixed(event, other, rank))
      for (const other of analysis.body[rank] ?? []) addPair(context, event, other, rank, fixed(event, other, rank))
    }
  }
}

function addPair(context: LogicContext, a: EventId, b: EventId, rank: number, order: ReturnType<FixedOrder>): void {
  const { analysis, smt, start } = context
  const unless = unlessAllOn(context, [a, b], rank)
  if (!unless) return
  const [toB, toA] = [analysis.distancesFrom(a)[b], analysis.distancesFrom(b)[a]]
  const [lengthA, lengthB] = [analysis.duration(a, rank), analysis.duration(b, rank)]
  if (toB >= lengthA || toA >= lengthB) return
  const choices: Literal[] = []
  if (order !== 'after' && toA === Number.NEGATIVE_INFINITY && analysis.head[a] + lengthA <= analysis.latest[b])
    choices.push(afterEnd(context, start[b], a, rank))
  if (order !== 'before' && toB === Number.NEGATIVE_INFINITY && analysis.head[b] + lengthB <= analysis.latest[a])
    choices.push(afterEnd(context, start[a], b, rank))
  if (choices.length > 0 && alreadyApart(context, a, b, lengthA, lengthB, order)) return
  smt.clause(...unless, ...choices)
}

/** Whether the windows alone keep the two apart (in the order that is asked for). */
function alreadyApart(
  { analysis, ends }: LogicContext,
  a: EventId,
  b: EventId,
  lengthA: number,
  lengthB: number,
  order: ReturnType<FixedOrder>
): boolean {
  if (ends.has(a) || ends.has(b)) return false
  return (
    (order !== 'after' && analysis.latest[a] + lengthA <= analysis.head[b]) ||
    (order !== 'before' && analysis.latest[b] + lengthB <= analysis.head[a])
  )
}

function mayTrade({ tradable }: Analysis, a: number, b: number): boolean {
  return a === b || tradable === undefined || tradable.some(group => group.includes(a) && group.includes(b))
}

/**
 * Two encodes (or two encoder backwards) of alike tasks on one rank may swap places, so they keep the order in which the
 * body needs (or yields) them: each start, end and hold count on that rank stays what it was.
 */
export function alikeOrder(analysis: Analysis, a: EventId, b: EventId): ReturnType<FixedOrder> {
  const { problem } = analysis
  const [first, second] = [problem.events[a], problem.events[b]]
  if (!mayTrade(analysis, first.key.microbatch, second.key.microbatch)) return undefined
  const signature = taskSignature(problem, a)
  if (signature === undefined || signature !== taskSignature(problem, b)) return undefined
  const end = first.key.kind === 'E' ? 'forward' : 'backward'
  const [entryA, entryB] = [entryOf(problem, first.key.microbatch)[end], entryOf(problem, second.key.microbatch)[end]]
  if (entryA === undefined || entryB === undefined) return undefined
  const [placeA, placeB] = [analysis.position[entryA], analysis.position[entryB]]
  if (placeA < 0 || placeB < 0) return undefined
  if (placeA === placeB) return first.key.item < second.key.item ? 'before' : 'after'
  return placeA < placeB ? 'before' : 'after'
}
