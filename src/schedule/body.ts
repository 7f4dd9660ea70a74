import type { BodyOrder, Warmup } from '../algebra/orders/body.ts'
import { weaveBody } from '../algebra/orders/weave.ts'
import { shapeOf } from './costs.ts'
import type { Measured } from './measured.ts'
import type { EventId, Kind, Problem, Sequences } from './problem.ts'

/** Finds events by what they are: kind, stage (-1 for E and EB) and microbatch. */
export type EventIndex = {
  /** Of an encode, the item and the chunk (default 0, which is all where tasks are whole). */
  find(kind: Kind, stage: number, microbatch: number, item?: number, chunk?: number): EventId | undefined
  /** The encodes, or encoder backwards, of a microbatch in the order in which one rank would run them; [] where there are none. */
  encodes(kind: 'E' | 'EB', microbatch: number): readonly EventId[]
}

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
    if (key.item > 0 || key.chunk > 0) continue
    table[(key.stage + 1) * columns + key.microbatch + 1] = id
  }
  const find = (kind: Kind, stage: number, microbatch: number) => {
    if (stage < -1 || stage > stages - 2 || microbatch < -1 || microbatch >= problem.microbatches) return undefined
    const id = ids.get(kind)?.[(stage + 1) * columns + microbatch + 1] ?? -1
    return id < 0 ? undefined : id
  }
  const tasks = encodesOf(problem)
  const encodes = (kind: 'E' | 'EB', microbatch: number) => tasks[kind].get(microbatch) ?? []
  const index: EventIndex = {
    encodes,
    find: (kind, stage, microbatch, item = 0, chunk = 0) =>
      item === 0 && chunk === 0
        ? find(kind, stage, microbatch)
        : encodes(kind as 'E', microbatch).find(id => isPart(problem, id, item, chunk))
  }
  indexes.set(problem, index)
  return index
}

function isPart({ events }: Problem, id: EventId, item: number, chunk: number): boolean {
  return events[id].key.item === item && events[id].key.chunk === chunk
}

/** Encodes and encoder backwards by microbatch: items ascending; chunks ascending forwards, descending backwards. */
function encodesOf({ events }: Problem): Record<'E' | 'EB', Map<number, EventId[]>> {
  const tasks = { E: new Map<number, EventId[]>(), EB: new Map<number, EventId[]>() }
  for (const { id, key } of events) {
    if (key.kind !== 'E' && key.kind !== 'EB') continue
    const mine = tasks[key.kind].get(key.microbatch)
    if (mine) mine.push(id)
    else tasks[key.kind].set(key.microbatch, [id])
  }
  return tasks
}

const orders = new WeakMap<Measured, Map<Warmup, BodyOrder>>()

/** The body order of the Sharded regions; empty ranks where there are none (`<transpose>`). Built once per instance. */
export function bodyOrder(measured: Measured, warmup: Warmup = 'classic'): BodyOrder {
  const known = orders.get(measured) ?? new Map<Warmup, BodyOrder>()
  orders.set(measured, known)
  const order = known.get(warmup) ?? weaveBody(shapeOf(measured).regions, measured.ranks, measured.microbatches, warmup)
  known.set(warmup, order)
  return order
}

const sequencesOf = new WeakMap<Problem, WeakMap<BodyOrder, Sequences>>()

/** A body order as event ids; steps whose event does not exist (gated backward, no source work) are left out. Built once. */
export function bodySequences(problem: Problem, order: BodyOrder): Sequences {
  const known = sequencesOf.get(problem) ?? new WeakMap<BodyOrder, Sequences>()
  sequencesOf.set(problem, known)
  const sequences = known.get(order) ?? eventsOf(problem, order)
  known.set(order, sequences)
  return sequences
}

function eventsOf(problem: Problem, order: BodyOrder): Sequences {
  const index = indexEvents(problem)
  return order.map(steps => {
    const ids: EventId[] = []
    for (const { kind, stage, microbatch } of steps) {
      const id = index.find(kind, stage, microbatch)
      if (id !== undefined) ids.push(id)
    }
    return ids
  })
}
