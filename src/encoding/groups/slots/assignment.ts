import { range } from '../../../base/arrays.ts'
import { tiedGroups } from '../logic/assignment.ts'
import type { SlotContext } from './context.ts'

/**
 * Assignment group. Consumes the slots of each free event. Creates one row per event: exactly one slot is used.
 */
export function addAssignment({ milp, slotsOf }: SlotContext): void {
  for (const slots of slotsOf.values()) {
    if (slots.length === 0) milp.contradict()
    else
      milp.row(
        slots.map(({ variable }) => [variable, 1]),
        1,
        1
      )
  }
}

/**
 * Chunk order group. Consumes the edges between chunks of one task. Creates, per edge and gap that the later one may use, one
 * row: if it stands there, the one before it stands in a gap up to it (in one gap the line's order holds).
 */
export function addChunkOrder({ analysis, milp, slotsOf, gaps }: SlotContext): void {
  const position = new Map(gaps.flatMap(line => line.map((gap, index) => [gap, index] as const)))
  for (const edge of analysis.problem.edges) {
    if (edge.channel !== 'handoff') continue
    const earlier = slotsOf.get(edge.from) ?? []
    for (const slot of slotsOf.get(edge.to) ?? []) {
      const place = position.get(slot.gap) ?? 0
      const before = earlier.filter(({ gap }) => gap.rank === slot.gap.rank && (position.get(gap) ?? 0) <= place)
      milp.row([...before.map(({ variable }) => [variable, 1] as const), [slot.variable, -1]], 0)
    }
  }
}

/**
 * Owner tie group. Consumes ties (an encoder backward runs where its encode ran). Creates one row per tied pair and rank:
 * the slots that the two use on it are equally many.
 */
export function addTies({ analysis, milp, slotsOf }: SlotContext): void {
  for (const [first, ...others] of tiedGroups(analysis)) {
    for (const other of others) {
      for (const rank of range(analysis.problem.ranks)) {
        const on = (event: number, sign: 1 | -1) =>
          (slotsOf.get(event) ?? [])
            .filter(({ gap }) => gap.rank === rank)
            .map(({ variable }) => [variable, sign] as const)
        const terms = [...on(first, 1), ...on(other, -1)]
        if (terms.length > 0) milp.row(terms, 0, 0)
      }
    }
  }
}
