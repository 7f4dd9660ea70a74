import type { BodyOrder, Warmup } from '../algebra/orders/body.ts'
import { weaveBody } from '../algebra/orders/weave.ts'
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
  const stages = problem.events.reduce((most, { key }) => Math.max(most, key.stage), 0) + 2
  const columns = problem.microbatches + 1
  const ids = new Map<Kind, Int32Array>()
  for (const { id, key } of problem.events) {
    const table = ids.get(key.kind) ?? new Int32Array(stages * columns).fill(-1)
    ids.set(key.kind, table)
    table[(key.stage + 1) * columns + key.microbatch + 1] = id
  }
  const find = (kind: Kind, stage: number, microbatch: number) => {
    if (stage < -1 || stage > stages - 2 || microbatch < -1 || microbatch >= problem.microbatches) return undefined
    const id = ids.get(kind)?.[(stage + 1) * columns + microbatch + 1] ?? -1
    return id < 0 ? undefined : id
  }
  const index = { find }
  indexes.set(problem, index)
  return index
}

/** The body order of the Sharded regions; empty ranks where there are none (`<transpose>`). */
export function bodyOrder(measured: Measured, warmup: Warmup = 'classic'): BodyOrder {
  return weaveBody(shapeOf(measured).regions, measured.ranks, measured.microbatches, warmup)
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
