import { parseSchedule } from '../../algebra/notation.ts'
import { layoutOf, type Skeleton } from '../../algebra/types.ts'
import { type Fault, FaultError } from '../../base/fault.ts'
import { LIMITS } from '../limits.ts'
import type { Path } from '../path.ts'

export type Mapping = Readonly<Record<string, unknown>>

/** A value as a mapping; empty when it is none, so that checks go on past faults that the schema reports. */
export function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {}
}

/** A value as a list; empty when it is none. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** What the checks across fields read of a document that may be faulty anywhere. */
export type View = {
  readonly root: Mapping
  /** P and M, where each is valid by itself. */
  readonly ranks?: number
  readonly microbatches?: number
  readonly regions: readonly { readonly path: Path; readonly value: Mapping; readonly slabs: readonly RawSlab[] }[]
  readonly dedicated: readonly RawSlab[]
  /** Slabs of the best cuts, by the family that takes them. */
  readonly cuts: { readonly inline: readonly RawSlab[]; readonly dedicated: readonly RawSlab[] }
  readonly scheduleFaults: readonly Fault[]
  readonly skeletons?: readonly Skeleton[]
  /** Slabs of Sharded regions, where the schedule fits the regions. */
  readonly shardedSlabs?: number
}

export type RawSlab = { readonly path: Path; readonly value: Mapping }

/** Reads a faulty document as far as it can be read. */
export function viewOf(root: Mapping): View {
  const regions = list(root.regions).map((region, index) => {
    const path = ['regions', index]
    return { path, value: mapping(region), slabs: slabs(mapping(region).stages, [...path, 'stages']) }
  })
  const schedule = readSchedule(root.schedule)
  const { skeletons } = schedule
  const fits = skeletons?.length === regions.length && regions.every(region => region.slabs.length > 0)
  const sharded = regions.filter((_, index) => fits && layoutOf(skeletons[index]) === 'Sharded')
  return {
    root,
    ...count('ranks', root.ranks, LIMITS.ranks),
    ...count('microbatches', root.microbatches, LIMITS.microbatches),
    regions,
    dedicated: slabs(mapping(root.dedicated).stages, ['dedicated', 'stages']),
    cuts: { inline: cutSlabs(root, 'inline'), dedicated: cutSlabs(root, 'dedicated') },
    ...schedule,
    ...(fits ? { shardedSlabs: sharded.reduce((total, region) => total + region.slabs.length, 0) } : {})
  }
}

function count(key: 'ranks' | 'microbatches', value: unknown, limit: number): Pick<View, 'ranks' | 'microbatches'> {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limit ? { [key]: Number(value) } : {}
}

function cutSlabs(root: Mapping, family: string): RawSlab[] {
  return slabs(mapping(mapping(root.cuts)[family]).stages, ['cuts', family, 'stages'])
}

function slabs(stages: unknown, path: Path): RawSlab[] {
  return list(stages).map((slab, index) => ({ path: [...path, index], value: mapping(slab) }))
}

function readSchedule(text: unknown): Pick<View, 'scheduleFaults' | 'skeletons'> {
  if (typeof text !== 'string') return { scheduleFaults: [] }
  try {
    return { scheduleFaults: [], skeletons: parseSchedule(text) }
  } catch (error) {
    if (error instanceof FaultError) return { scheduleFaults: error.faults }
    throw error
  }
}
