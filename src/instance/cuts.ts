import type { InstanceDocument, SlabDocument } from './schema.ts'

type Cuts = NonNullable<InstanceDocument['cuts']>

/** Both best cuts of an instance with every slab replaced; a cut that is not stated stays out. */
export function mapCuts<T>(
  cuts: Cuts,
  replace: (slab: SlabDocument) => T
): { inline?: { stages: T[] }; dedicated?: { stages: T[] } } {
  return {
    ...(cuts.inline ? { inline: { stages: cuts.inline.stages.map(replace) } } : {}),
    ...(cuts.dedicated ? { dedicated: { stages: cuts.dedicated.stages.map(replace) } } : {})
  }
}
