import { endOf, lengthTerms, type SlotContext } from './context.ts'

/**
 * No-overlap group. Consumes the gaps. Creates one row per gap: what follows it starts after what precedes it has ended
 * and everything that stands in it had its time.
 */
export function addChains(context: SlotContext): void {
  for (const gap of context.gaps.flat()) {
    const { terms, constant } = endOf(gap.previous)
    context.milp.row(
      [
        [gap.next.start as number, 1],
        ...terms.map(([variable, c]) => [variable, -c] as const),
        ...lengthTerms(context, [...gap.encodes, ...gap.backwards], -1)
      ],
      constant
    )
  }
}
