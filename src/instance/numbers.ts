import type { InstanceDocument, SlabDocument } from './schema.ts'

/** What a document states in one place: a number, or a list of them. */
export type Stated = { readonly path: string; readonly numbers: number | readonly number[] }

type Timed = Pick<InstanceDocument, 'regions' | 'communication' | 'options' | 'dedicated' | 'cuts'>

/** Every duration of a document, in document order. */
export function* durationsOf(document: Timed): Generator<Stated> {
  for (const { path, slab } of slabsOf(document)) yield* slabDurations(path, slab)
  const { send, gather, scatter, broadcast, reduce } = document.communication
  for (const [key, value] of Object.entries({ send, gather, scatter, broadcast })) {
    yield { path: `communication.${key}`, numbers: value }
  }
  for (const [key, value] of Object.entries(reduce)) yield { path: `communication.reduce.${key}`, numbers: value }
  const { overlap } = document.options
  if (typeof overlap === 'object' && 'duration' in overlap)
    yield { path: 'options.overlap.duration', numbers: overlap.duration }
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
  for (const { path, stages } of otherCuts(document))
    for (const [stage, slab] of stages.entries()) yield { path: `${path}.stages[${stage}]`, slab }
}

/** The cuts that families of their own take, beside that of the regions. */
export function otherCuts({ dedicated, cuts }: Pick<InstanceDocument, 'dedicated' | 'cuts'>): {
  readonly path: string
  readonly stages: readonly SlabDocument[]
}[] {
  const all = { dedicated, 'cuts.inline': cuts?.inline, 'cuts.dedicated': cuts?.dedicated }
  return Object.entries(all).flatMap(([path, cut]) => (cut ? [{ path, stages: cut.stages }] : []))
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
