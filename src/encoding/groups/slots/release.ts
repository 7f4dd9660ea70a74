import { lengthTerms, type SlotContext, whenUsed } from './context.ts'

/**
 * Broadcast release group. Consumes encode slots whose rank gets the parameters later than the gap may open. Creates one
 * row per such slot: what follows the gap waits for the release, for it and for the encodes behind it in the gap (backwards
 * of a mixed gap may have run before).
 */
export function addReleases(context: SlotContext): void {
  const { analysis, milp } = context
  for (const gap of context.gaps.flat()) {
    for (const [i, slot] of gap.encodes.entries()) {
      const release = analysis.release(slot.event, gap.rank)
      if (release <= gap.previous.head + gap.previous.duration) continue
      const big = whenUsed(slot, release - gap.next.head)
      const behind = lengthTerms(context, gap.encodes.slice(i), -1)
      milp.row([[gap.next.start as number, 1], ...behind, ...big.terms], release - big.constant)
    }
  }
}
