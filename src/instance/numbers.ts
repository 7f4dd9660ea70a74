import type { InstanceDocument, SlabDocument } from './schema.ts'

/** What a document states in one place: a number, or a list of them. */
export type Stated = { readonly path: string; readonly numbers: number | readonly number[] }

type Timed = Pick<InstanceDocument, 'regions' | 'communication' | 'dedicated'>

/** Every duration of a document, in document order. */
export function* durationsOf(document: Timed): Generator<Stated> {
  for (const { path, slab } of slabsOf(document)) yield* slabDurations(path, slab)
  const { send, gather, scatter, broadcast, reduce } = document.communication
  for (const [key, value] of Object.entries({ send, gather, scatter, broadcast })) {
    yield { path: `communication.${key}`, numbers: value }
  }
  for (const [key, value] of Object.entries(reduce)) yield { path: `communication.reduce.${key}`, numbers: value }
}

/** Every byte count of a document, in document order. */
export function* byteCountsOf(document: Timed & Pick<InstanceDocument, 'memory'>): Generator<Stated> {
  for (const { path, slab } of slabsOf(document)) {
    for (const key of ['activation', 'parameters', 'output'] as const)
      yield { path: `${path}.${key}`, numbers: slab[key] }
  }
  const { capacity, reserved } = document.memory ?? {}
  if (capacity !== undefined) yield { path: 'memory.capacity', numbers: capacity }
  if (reserved !== undefined) yield { path: 'memory.reserved', numbers: reserved }
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
  yield { path: `${path}.forward`, numbers: forward }
  if (typeof backward === 'number' || Array.isArray(backward)) {
    yield { path: `${path}.backward`, numbers: backward }
  } else {
    yield { path: `${path}.backward.input`, numbers: backward.input }
    yield { path: `${path}.backward.weight`, numbers: backward.weight }
  }
}

/** The numbers of one place as a list. */
export function listed({ numbers }: Stated): readonly number[] {
  return typeof numbers === 'number' ? [numbers] : numbers
}
