import { layoutOf } from '../../algebra/types.ts'
import type { Fault } from '../../base/fault.ts'
import { faultAt } from './fault.ts'
import { list, type View } from './raw.ts'

/** The schedule against the regions: syntax, one skeleton per region, slabs that spread evenly over the ranks. */
export function scheduleFaults(view: View): Fault[] {
  return [
    ...view.scheduleFaults,
    ...skeletonFaults(view),
    ...stageFaults(view),
    ...dedicatedFaults(view),
    ...cutsFaults(view)
  ]
}

function skeletonFaults({ root, skeletons, regions }: View): Fault[] {
  if (!skeletons || !Array.isArray(root.regions) || skeletons.length === regions.length) return []
  const message = `${skeletons.length} skeletons for ${regions.length} regions`
  return [faultAt('SKELETON_COUNT', ['schedule'], root.schedule, message, 'Write one skeleton per region.')]
}

function stageFaults({ ranks, shardedSlabs }: View): Fault[] {
  if (ranks === undefined || !shardedSlabs || shardedSlabs % ranks === 0) return []
  const message = `${shardedSlabs} slabs of pipelined regions do not spread evenly over ${ranks} ranks`
  const advice = `Give ${ranks} slabs in total, or a multiple of it.`
  return [faultAt('STAGE_COUNT', ['regions'], shardedSlabs, message, advice)]
}

function dedicatedFaults(view: View): Fault[] {
  const { root, ranks, skeletons, regions, dedicated } = view
  if (root.dedicated === undefined) return []
  const faults: Fault[] = []
  const stages = list((root.dedicated as { stages?: unknown } | null)?.stages)
  if (ranks !== undefined && stages.length > 0 && dedicated.length !== ranks - 1) {
    const message = `${dedicated.length} slabs where ranks 1 to P-1 take one each`
    faults.push(faultAt('LIST_LENGTH', ['dedicated', 'stages'], stages, message, `Their number must be ${ranks - 1}.`))
  }
  if (skeletons?.length === regions.length && skeletons.filter(name => layoutOf(name) === 'Sharded').length !== 1) {
    const message = 'a dedicated cut needs exactly one pipelined region'
    faults.push(faultAt('DEDICATED_SCOPE', ['dedicated'], root.dedicated, message, 'Remove it, or keep one backbone.'))
  }
  return faults
}

/** Best cuts have one slab per rank that takes a part of the backbone. */
function cutsFaults({ root, ranks, skeletons, regions, cuts }: View): Fault[] {
  if (root.cuts === undefined) return []
  const wanted = { inline: ranks, dedicated: ranks === undefined ? undefined : ranks - 1 }
  const faults = (['inline', 'dedicated'] as const).flatMap(family => {
    const [count, slabs] = [wanted[family], cuts[family]]
    if (count === undefined || slabs.length === 0 || slabs.length === count) return []
    const message = `${slabs.length} slabs where ${count} ranks take one each`
    return [faultAt('LIST_LENGTH', ['cuts', family, 'stages'], slabs.length, message, `Their number must be ${count}.`)]
  })
  if (skeletons?.length === regions.length && skeletons.filter(name => layoutOf(name) === 'Sharded').length !== 1) {
    const message = 'best cuts need exactly one pipelined region'
    faults.push(faultAt('DEDICATED_SCOPE', ['cuts'], root.cuts, message, 'Remove them, or keep one backbone.'))
  }
  return faults
}
