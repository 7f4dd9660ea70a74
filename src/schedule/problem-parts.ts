import type { Derivation } from '../algebra/derive.ts'
import { ranksOfStage } from '../algebra/placement.ts'
import { isTrainable, layoutOf } from '../algebra/types.ts'
import { range, sum } from '../base/arrays.ts'
import type { BackwardCost, Measured } from './measured.ts'
import type { LagTable, RegionInfo } from './problem.ts'

/** The same lag between any two different ranks. */
export function uniformLags(ranks: number, ticks: number): LagTable {
  return Float64Array.from({ length: ranks * ranks }, (_, cell) =>
    Math.floor(cell / ranks) === cell % ranks ? 0 : ticks
  )
}

/** What a problem says of its regions. */
export function regionInfos(measured: Measured): RegionInfo[] {
  return measured.regions.map((region, index) => ({
    name: region.name,
    layout: layoutOf(region.skeleton),
    skeleton: region.skeleton,
    trainable: isTrainable({ ...region, stages: region.stages }),
    inputs: index === 0 ? [] : [index - 1]
  }))
}

/** Reserved bytes and the parameters of every slab (and copy) placed on each rank; a Replicated region counts on all. */
export function fixedBytes(measured: Measured, graph: Derivation): number[] {
  return range(measured.ranks).map(rank => {
    const placed = measured.regions.flatMap((region, index) => {
      const owner = graph.placement[index].owner
      const copies = (local: number) =>
        owner.kind === 'ByMicrobatch'
          ? 1
          : ranksOfStage(measured, owner.firstStage + local).filter(other => other === rank).length
      return region.stages.flatMap((stage, local) => range(copies(local)).flatMap(() => stage))
    })
    return measured.reserved[rank] + sum(placed.map(slab => slab.parameters))
  })
}

/** Microbatches whose events all have the same durations, grouped; groups of one are left out. */
export function symmetricGroups({ microbatches, regions, items }: Measured): number[][] {
  const lists = regions.flatMap(region =>
    region.stages.flat().flatMap(slab => [slab.forward, ...backwardLists(slab.backward)])
  )
  const uneven = [...new Set(lists)].filter(list => list.some(ticks => ticks !== list[0]))
  const groups = new Map<string, number[]>()
  for (let microbatch = 0; microbatch < microbatches; microbatch++) {
    const profile = [...uneven.map(list => list[microbatch]), ...(items?.[microbatch] ?? [])].join()
    const group = groups.get(profile)
    if (group) group.push(microbatch)
    else groups.set(profile, [microbatch])
  }
  return [...groups.values()].filter(group => group.length > 1)
}

function backwardLists(cost: BackwardCost): readonly (readonly number[])[] {
  return cost.kind === 'full' ? [cost.full] : [cost.input, cost.weight]
}
