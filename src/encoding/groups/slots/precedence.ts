import type { Edge, EventId } from '../../../schedule/problem.ts'
import type { Analysis } from '../../analysis.ts'
import type { Term } from '../../model/types.ts'
import { endOf, type Gap, lengthTerms, type Slot, type SlotContext, type Task, whenUsed } from './context.ts'
import { precedes } from './lines.ts'

/**
 * Precedence group for body tasks. Consumes the edges between events of one rank each. Creates one difference row per edge
 * that the body's chains do not imply; those into a reduction lengthen the makespan.
 */
export function addBodyPrecedence(context: SlotContext): void {
  const { analysis, milp, start, end } = context
  for (const edge of analysis.problem.edges) {
    const from = start.get(edge.from)
    const to = start.get(edge.to)
    if (from === undefined) continue
    const [source, target] = [analysis.rankOf[edge.from], analysis.rankOf[edge.to]]
    const gap = analysis.minDuration(edge.from) + (target >= 0 ? analysis.lag(edge, source, target) : 0)
    if (to !== undefined)
      milp.row(
        [
          [to, 1],
          [from, -1]
        ],
        gap
      )
    else if (isLoose(analysis, edge.to))
      milp.row(
        [
          [end.start as number, 1],
          [from, -1]
        ],
        gap + analysis.minDuration(edge.to)
      )
  }
}

/** Whether an event occupies no rank: a reduction, which only lengthens the makespan. */
function isLoose({ problem }: Analysis, event: EventId): boolean {
  return !problem.events[event].occupies
}

/**
 * Precedence group for encodes. Consumes their slots and the edges to the body events that need them. Creates one row per
 * slot and edge: the event waits until everything before the encode in its gap, the encode and its lag have passed. Left
 * out where the position in the line or a path through the body already says so.
 */
export function addEncodePrecedence(context: SlotContext): void {
  const { analysis } = context
  for (const gap of context.gaps.flat()) {
    for (const slot of gap.encodes)
      for (const edge of analysis.outgoing[slot.event]) addEncodeRow(context, gap, slot, edge)
  }
}

function addEncodeRow(context: SlotContext, gap: Gap, slot: Slot, edge: Edge): void {
  const { analysis, milp, start } = context
  const to = start.get(edge.to)
  if (to === undefined) return
  const lag = analysis.lag(edge, gap.rank, analysis.rankOf[edge.to])
  if (impliedByLine(analysis, gap, edge.to, lag)) return
  const before = gap.encodes.slice(0, gap.encodes.indexOf(slot) + 1)
  const { terms, constant } = endOf(gap.previous)
  const big = whenUsed(slot, gap.previous.latest + constant + lag - analysis.head[edge.to])
  const wait = [...terms.map(([variable, c]): Term => [variable, -c]), ...lengthTerms(context, before, -1)]
  milp.row([[to, 1], ...wait, ...big.terms], constant + lag - big.constant)
  const release = analysis.release(slot.event, gap.rank)
  if (release <= gap.previous.head + gap.previous.duration) return
  const late = whenUsed(slot, release + lag - analysis.head[edge.to])
  milp.row([[to, 1], ...lengthTerms(context, before, -1), ...late.terms], release + lag - late.constant)
}

/** Whether what follows the gap leads to the event with a path of at least the lag. */
function impliedByLine(analysis: Analysis, gap: Gap, event: EventId, lag: number): boolean {
  const next = gap.next.event ?? analysis.body[gap.rank]?.[gap.place]
  if (next === undefined || !precedes(analysis, next, event)) return false
  return analysis.distancesFrom(next)[event] >= lag
}

/**
 * Precedence group for encoder backwards. Consumes their slots and the edges from the body events that they wait for.
 * Creates one row per slot: what follows the gap waits for the arrival and for it and all later backwards of the gap.
 */
export function addBackwardPrecedence(context: SlotContext): void {
  for (const gap of context.gaps.flat())
    for (const slot of gap.backwards) {
      const wait = arrival(context, gap, slot)
      if (wait) addAfter(context, gap, slot, wait, gap.next, 0)
    }
}

/** When an encoder backward can start on its gap's rank: terms, constant and the latest value they can take. */
export function arrival(
  context: SlotContext,
  gap: Gap,
  slot: Slot
): { terms: Term[]; constant: number; latest: number } | undefined {
  const { analysis, start } = context
  const edge = analysis.incoming[slot.event].find(edge => start.has(edge.from))
  if (!edge) return undefined
  const delay = analysis.minDuration(edge.from) + analysis.lag(edge, analysis.rankOf[edge.from], gap.rank)
  const before = analysis.body[gap.rank]?.[gap.place - 1]
  if (before !== undefined && precedes(analysis, edge.from, before)) {
    const path = edge.from === before ? 0 : analysis.distancesFrom(edge.from)[before]
    if (path + analysis.minDuration(before) >= delay) return undefined
  }
  return { terms: [[start.get(edge.from) as number, 1]], constant: delay, latest: analysis.latest[edge.from] + delay }
}

/** `target` >= the arrival of a backward + it and all later backwards of its gap + `tail`, where its slot is used. */
export function addAfter(
  context: SlotContext,
  gap: Gap,
  slot: Slot,
  wait: { readonly terms: readonly Term[]; readonly constant: number; readonly latest: number },
  target: Task,
  tail: number
): void {
  const later = gap.backwards.slice(gap.backwards.indexOf(slot))
  const big = whenUsed(slot, wait.latest + tail - target.head)
  context.milp.row(
    [
      [target.start as number, 1],
      ...wait.terms.map(([variable, c]): Term => [variable, -c]),
      ...lengthTerms(context, later, -1),
      ...big.terms
    ],
    wait.constant + tail - big.constant
  )
}
