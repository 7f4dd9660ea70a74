import { fail } from '../base/fault.ts'
import { chainInputs, type Inputs, layoutOf, type RegionShape, type Skeleton } from './types.ts'

type Mergeable = {
  readonly name: string
  readonly skeleton: Skeleton
  readonly stages: readonly (readonly unknown[])[]
}

/** True when no two adjacent regions are Replicated (paper section 3.3). Adjacent: one feeds the other. */
export function isNormal(
  regions: readonly { readonly skeleton: Skeleton }[],
  inputs: Inputs = chainInputs(regions)
): boolean {
  return regions.every((region, index) => inputs[index].every(input => !bothReplicated(regions[input], region)))
}

/**
 * Merges adjacent Replicated regions: they share one owner map, so the seam between them is the identity. The merged
 * region keeps all parts in depth order. Idempotent. Works on any region value that lists its parts by stage.
 */
export function normalise<R extends Mergeable>(regions: readonly R[]): R[] {
  return regions.reduce<R[]>((done, region) => {
    const last = done.at(-1)
    if (!last || !bothReplicated(last, region)) return [...done, region]
    const parts = [...last.stages.flat(), ...region.stages.flat()]
    return [...done.slice(0, -1), { ...last, name: `${last.name}+${region.name}`, stages: [parts] }]
  }, [])
}

/** Checks what every schedule must satisfy before it can be derived. @throws FaultError */
export function checkShape(
  regions: readonly RegionShape[],
  ranks: number,
  inputs: Inputs = chainInputs(regions)
): void {
  if (regions.length === 0) fail('NO_REGIONS', 'regions', [], 'a schedule needs at least one region', 'Add a region.')
  if (!isNormal(regions, inputs)) {
    fail(
      'NOT_NORMAL',
      'schedule',
      regions.map(r => r.skeleton),
      'two adjacent regions are Replicated',
      'Normalise the schedule first.'
    )
  }
  for (const [index, region] of regions.entries()) {
    if (layoutOf(region.skeleton) === 'Replicated' && region.stages.length !== 1) {
      fail(
        'REPLICATED_STAGES',
        `regions[${index}].stages`,
        region.stages.length,
        'a Replicated region is one whole',
        'Sum its slabs into one stage.'
      )
    }
  }
  const slabs = regions.filter(r => layoutOf(r.skeleton) === 'Sharded').reduce((total, r) => total + r.stages.length, 0)
  if (slabs % ranks !== 0) {
    fail(
      'STAGE_COUNT',
      'regions',
      slabs,
      `${slabs} slabs do not spread evenly over ${ranks} ranks`,
      'Give P or v*P slabs in total.'
    )
  }
}

function bothReplicated(left: { readonly skeleton: Skeleton }, right: { readonly skeleton: Skeleton }): boolean {
  return layoutOf(left.skeleton) === 'Replicated' && layoutOf(right.skeleton) === 'Replicated'
}
