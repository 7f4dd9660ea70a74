import type { Term } from '../../model/types.ts'
import { endOf, type Gap, lengthTerms, type Slot, type SlotContext, whenUsed } from './context.ts'
import { addAfter, arrival } from './precedence.ts'

/**
 * Reduction group. Consumes the replica reduction, which starts when every encoder backward has ended. Creates, per slot of
 * a backward, rows that keep the makespan that far behind the end of the backwards in its gap. Encodes of a mixed gap may
 * run after them, so they do not count.
 */
export function addReductions(context: SlotContext): void {
  for (const gap of context.gaps.flat()) {
    for (const slot of gap.backwards) {
      const tail = reductionAfter(context, slot)
      if (tail <= context.analysis.horizon - gap.next.latest) continue
      addBehindGap(context, gap, slot, tail)
      const wait = arrival(context, gap, slot)
      if (wait) addAfter(context, gap, slot, wait, context.end, tail)
    }
  }
}

function reductionAfter({ analysis }: SlotContext, slot: Slot): number {
  const loose = analysis.outgoing[slot.event].filter(edge => !analysis.problem.events[edge.to].occupies)
  return Math.max(0, ...loose.map(edge => analysis.minDuration(edge.to)))
}

/** Makespan >= what precedes the gap + its backwards + the reduction, where the slot is used. */
function addBehindGap(context: SlotContext, gap: Gap, slot: Slot, tail: number): void {
  const { terms, constant } = endOf(gap.previous)
  const big = whenUsed(slot, gap.next.latest + tail - context.end.head)
  const wait = terms.map(([variable, c]): Term => [variable, -c])
  context.milp.row(
    [[context.end.start as number, 1], ...wait, ...lengthTerms(context, gap.backwards, -1), ...big.terms],
    constant + tail - big.constant
  )
}
