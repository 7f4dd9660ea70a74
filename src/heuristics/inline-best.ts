import { layoutOf } from '../algebra/types.ts'
import type { Family } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import { bodyFamily, inlineMeasured } from './inline.ts'

const ABSENT = 'the instance states no best cut for it (`tropipe model --cut best` does)'

/** Like `inline`, with the backbone cut anew for the load of stage 0: what a careful team does by hand. */
export const inlineBest: Family = {
  id: 'inline-best',
  title: 'encoder fused into the first stage, best cut of the backbone',
  source: 'layers per stage by a MILP over 1F1B under memory (rules of the Ascend fast-tuner)',
  apply: measured => {
    if (!measured.inlineBest) return { kind: 'not-applicable', reason: ABSENT }
    const fused = inlineMeasured(recut(measured, measured.inlineBest))
    return typeof fused === 'string' ? { kind: 'not-applicable', reason: fused } : bodyFamily(fused)
  }
}

/** The instance with its backbone cut otherwise. */
function recut(measured: Measured, slabs: NonNullable<Measured['inlineBest']>): Measured {
  const regions = measured.regions.map(region =>
    layoutOf(region.skeleton) === 'Sharded' ? { ...region, stages: slabs.map(slab => [slab]) } : region
  )
  return { ...measured, regions }
}
