import type { InstanceDocument, SlabDocument } from './schema.ts'

/** One number of a document with its path; equal entries of one list each count as one number. */
export type Stated = { readonly path: string; readonly value: number }

type Timed = Pick<InstanceDocument, 'regions' | 'communication' | 'dedicated'>

/** Every duration of a document, in document order. */
export function* durationsOf(document: Timed): Generator<Stated> {
  for (const { path, slab } of slabsOf(document)) yield* slabDurations(path, slab)
  const { send, gather, scatter, broadcast, reduce } = document.communication
  for (const [key, value] of Object.entries({ send, gather, scatter, broadcast })) {
    yield { path: `communication.${key}`, value }
  }
  for (const [key, value] of Object.entries(reduce)) yield { path: `communication.reduce.${key}`, value }
}

/** Every byte count of a document, in document order. */
export function* byteCountsOf(document: Timed & Pick<InstanceDocument, 'memory'>): Generator<Stated> {
  for (const { path, slab } of slabsOf(document)) {
    for (const key of ['activation', 'parameters', 'output'] as const)
      yield { path: `${path}.${key}`, value: slab[key] }
  }
  const { capacity, reserved } = document.memory ?? {}
  if (capacity !== undefined) yield* entries('memory.capacity', capacity)
  if (reserved !== undefined) yield* entries('memory.reserved', reserved)
}

function* slabsOf(document: Timed): Generator<{ path: string; slab: SlabDocument }> {
  for (const [index, region] of document.regions.entries()) {
    for (const [stage, slab] of region.stages.entries()) yield { path: `regions[${index}].stages[${stage}]`, slab }
  }
  for (const [stage, slab] of (document.dedicated?.stages ?? []).entries()) {
    yield { path: `dedicated.stages[${stage}]`, slab }
  }
}

function* slabDurations(path: string, { forward, backward }: SlabDocument): Generator<Stated> {
  yield* entries(`${path}.forward`, forward)
  if (typeof backward === 'number' || Array.isArray(backward)) {
    yield* entries(`${path}.backward`, backward)
  } else {
    yield* entries(`${path}.backward.input`, backward.input)
    yield* entries(`${path}.backward.weight`, backward.weight)
  }
}

function* entries(path: string, numbers: number | readonly number[]): Generator<Stated> {
  if (typeof numbers === 'number') yield { path, value: numbers }
  else for (const [index, value] of numbers.entries()) yield { path: `${path}[${index}]`, value }
}
