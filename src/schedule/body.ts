import { numStages } from '../algebra/derive.ts'
import { type BodyOrder, gpipeOrder, oneForwardOneBackwardOrder, type Warmup } from '../algebra/orders/body.ts'
import { layoutOf } from '../algebra/types.ts'
import { fail } from '../base/fault.ts'
import { shapeOf } from './costs.ts'
import type { Measured } from './measured.ts'
import type { EventId, Kind, Problem, Sequences } from './problem.ts'

/** Finds events by what they are: kind, stage (-1 for E and EB) and microbatch. */
export type EventIndex = { find(kind: Kind, stage: number, microbatch: number): EventId | undefined }

const indexes = new WeakMap<Problem, EventIndex>()

/** The event index of a problem, built once. */
export function indexEvents(problem: Problem): EventIndex {
  const known = indexes.get(problem)
  if (known) return known
  const ids = new Map<string, EventId>()
  for (const { id, key } of problem.events) ids.set(`${key.kind}/${key.stage}/${key.microbatch}`, id)
  const index = { find: (kind: Kind, stage: number, microbatch: number) => ids.get(`${kind}/${stage}/${microbatch}`) }
  indexes.set(problem, index)
  return index
}

/** The body order of the common skeleton of all Sharded regions; empty ranks where there is none (`<transpose>`). */
export function bodyOrder(measured: Measured, warmup: Warmup = 'classic'): BodyOrder {
  const sharded = measured.regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
  const size = {
    ranks: measured.ranks,
    microbatches: measured.microbatches,
    chunks: numStages(shapeOf(measured).regions) / measured.ranks
  }
  if (sharded.length === 0) return Array.from({ length: measured.ranks }, () => [])
  const skeleton = sharded[0].skeleton
  switch (skeleton) {
    case '1f1b':
      return oneForwardOneBackwardOrder(size, warmup)
    case 'gpipe':
      return gpipeOrder(size)
    case 'transpose':
      return fail(
        'NO_BODY',
        'schedule',
        skeleton,
        'a transposed region has no body order',
        'Ask for the body of a Sharded region.'
      )
  }
}

/** A body order as event ids; steps whose event does not exist (gated backward, no source work) are left out. */
export function bodySequences(problem: Problem, order: BodyOrder): Sequences {
  const index = indexEvents(problem)
  return order.map(steps =>
    steps
      .map(step => index.find(step.kind, step.stage, step.microbatch))
      .filter((id): id is EventId => id !== undefined)
  )
}
