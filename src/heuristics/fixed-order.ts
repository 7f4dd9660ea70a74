import type { BodyOrder, BodySize } from '../algebra/orders/body.ts'
import { type OrderItem, type PipelineOrder, type StageStep, stepsOf } from '../algebra/orders/order.ts'
import { range } from '../base/arrays.ts'
import { bodySequences, indexEvents } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import type { FamilyOrder } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import { withPairs } from '../schedule/overlap.ts'
import type { EventId, Problem } from '../schedule/problem.ts'
import { backboneOf, placedBy } from './backbone.ts'

/** A family whose order is fixed by P and M alone and keeps backwards whole: stage s on rank s mod P. */
export function wholeBackwardFamily(
  measured: Measured,
  chunks: number,
  order: (size: BodySize) => BodyOrder,
  round?: number
): FamilyOrder {
  const backbone = backboneOf(measured, chunks)
  if (typeof backbone === 'string') return { kind: 'not-applicable', reason: backbone }
  const problem = buildProblem(backbone)
  const body = order({ ranks: measured.ranks, microbatches: measured.microbatches, chunks, round })
  return { kind: 'order', measured: backbone, problem, sequences: bodySequences(problem, body) }
}

/**
 * A family whose order comes from the algebra with a stage map of its own. Split steps run as I and W where the slab
 * gives both parts, else whole. What an overlapped pair takes is the instance's to say (`options.overlap`).
 */
export function mappedFamily(
  measured: Measured,
  order: PipelineOrder,
  options: { readonly split: boolean }
): FamilyOrder {
  const backbone = backboneOf(measured, order.rankOf[0].length / measured.ranks)
  if (typeof backbone === 'string') return { kind: 'not-applicable', reason: backbone }
  const placed = placedBy(backbone, order.rankOf, copyOfEach(order))
  const whole = new Set(order.items.flatMap(items => items.flatMap(stepsOf).filter(isWhole).map(placeOf)))
  const split = options.split && whole.size > 0 ? inParts(whole) : options.split
  const problem = buildProblem(placed, { split })
  const sequences = order.items.map(items => items.flatMap(item => stepsOf(item).flatMap(step => idsOf(problem, step))))
  const pairs = order.items.flat().flatMap(item => pairOf(problem, item))
  return { kind: 'order', measured: placed, problem: withPairs(problem, pairs, measured.overlap), sequences }
}

const isWhole = (step: StageStep) => step.kind === 'B'
const placeOf = ({ stage, microbatch }: Pick<StageStep, 'stage' | 'microbatch'>) => `${stage}/${microbatch}`
const inParts = (whole: ReadonlySet<string>) => (stage: number, microbatch: number) =>
  !whole.has(placeOf({ stage, microbatch }))

/** The two events of an overlapped pair; none where a frozen stage has no backward to overlap. */
function pairOf(problem: Problem, item: OrderItem): (readonly [EventId, EventId])[] {
  if (item.kind !== 'fused') return []
  const [forward, backward] = [idsOf(problem, item.forward), idsOf(problem, item.backward)]
  return forward.length === 1 && backward.length === 1 ? [[forward[0], backward[0]]] : []
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
