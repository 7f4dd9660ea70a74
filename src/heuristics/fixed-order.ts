import type { BodyOrder } from '../algebra/orders/body.ts'
import { type OrderItem, type PipelineOrder, type StageStep, stepsOf } from '../algebra/orders/order.ts'
import { range } from '../base/arrays.ts'
import { bodySequences, indexEvents } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import type { FamilyOrder } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import type { EventId, Problem } from '../schedule/problem.ts'
import { backboneOf, placedBy } from './backbone.ts'

/** A family whose order is fixed by P and M alone and keeps backwards whole: stage s on rank s mod P. */
export function wholeBackwardFamily(
  measured: Measured,
  chunks: number,
  order: (size: { ranks: number; microbatches: number; chunks: number }) => BodyOrder
): FamilyOrder {
  const backbone = backboneOf(measured, chunks)
  if (typeof backbone === 'string') return { kind: 'not-applicable', reason: backbone }
  const problem = buildProblem(backbone)
  const body = order({ ranks: measured.ranks, microbatches: measured.microbatches, chunks })
  return { kind: 'order', measured: backbone, problem, sequences: bodySequences(problem, body) }
}

/**
 * A family whose order comes from the algebra with a stage map of its own. Split steps run as I and W where the slab
 * gives both parts, else whole. A pair that overlaps is one unit of the summed length (no gain is
 * assumed), and so is a whole backward.
 */
export function mappedFamily(
  measured: Measured,
  order: PipelineOrder,
  options: { readonly split: boolean }
): FamilyOrder {
  const backbone = backboneOf(measured, order.rankOf[0].length / measured.ranks)
  if (typeof backbone === 'string') return { kind: 'not-applicable', reason: backbone }
  const placed = placedBy(backbone, order.rankOf, copyOfEach(order))
  const problem = buildProblem(placed, options)
  const units = order.items.map(items => items.map(item => stepsOf(item).flatMap(step => idsOf(problem, step))))
  const joined = units.flatMap((rank, r) => rank.filter((_, index) => isUnit(order.items[r][index])))
  const sequences = units.map(rank => rank.flat())
  return { kind: 'order', measured: placed, problem: asUnits(problem, joined), sequences }
}

/** Whether an item sends what it computes only when all of it is done: an overlapped pair, a whole backward. */
function isUnit(item: OrderItem): boolean {
  return item.kind === 'fused' || item.step.kind === 'B'
}

/** The problem with each group of events as one unit: it starts when all of it can, and is done when all of it is. */
function asUnits(problem: Problem, groups: readonly (readonly EventId[])[]): Problem {
  if (groups.length === 0) return problem
  const unitOf = new Map(groups.flatMap(group => group.map(id => [id, group] as const)))
  const extra = problem.edges.flatMap(edge => {
    const [before, after] = [unitOf.get(edge.from), unitOf.get(edge.to)]
    const from = before ? before[before.length - 1] : edge.from
    const to = after ? after[0] : edge.to
    return before === after && before ? [] : from === edge.from && to === edge.to ? [] : [{ ...edge, from, to }]
  })
  return { ...problem, edges: [...problem.edges, ...extra].map((edge, id) => ({ ...edge, id })) }
}

/** Events of a step: I for its input part, and W after it where the step is a whole backward of a split slab. */
function idsOf(problem: Problem, { kind, stage, microbatch }: StageStep): EventId[] {
  const { find } = indexEvents(problem)
  const ids = (...kinds: ('F' | 'B' | 'I' | 'W')[]) =>
    kinds.map(one => find(one, stage, microbatch)).filter((id): id is EventId => id !== undefined)
  switch (kind) {
    case 'F':
      return ids('F')
    case 'B':
      return ids('B', 'I', 'W')
    case 'I':
      return ids('B', 'I')
    case 'W':
      return ids('W')
  }
}

/** The copy of the model that each microbatch runs on. */
function copyOfEach(order: PipelineOrder): number[] {
  const copies = range(order.microbatches).map(() => 0)
  for (const item of order.items.flat()) for (const step of stepsOf(item)) copies[step.microbatch] = step.replica
  return copies
}
