import { range } from '../base/arrays.ts'
import { collectiveSeconds, transferSeconds } from '../hardware/cost.ts'
import { dataGroup, farther, groupHop, linkOf, rankHop, replicaGroup } from '../hardware/mapping.ts'
import type { Hop } from '../hardware/types.ts'
import { mappingOf, type Plan } from './plan.ts'
import { STATE_BYTES } from './states.ts'

/** One pair of pipeline neighbours and the farthest link that their devices cross. */
export type SeamLink = { readonly from: number; readonly to: number; readonly hop: Hop }

/** The link of every pipeline seam, the wrap-around of interleaved chunks included. */
export function seamLinks(plan: Plan): SeamLink[] {
  const { ranks, chunks } = plan.parallel
  const { topology } = plan.hardware
  const mapping = mappingOf(plan.parallel)
  const pairs = range(ranks - 1).map(rank => ({ from: rank, to: rank + 1 }))
  if (chunks > 1 && ranks > 1) pairs.push({ from: ranks - 1, to: 0 })
  return pairs.map(pair => ({ ...pair, hop: rankHop(topology, mapping, pair.from, pair.to) }))
}

/** The farthest hop from the first rank to any other: what gathers and scatters cross. */
export function farthestFromFirst(plan: Plan): Hop {
  const mapping = mappingOf(plan.parallel)
  return range(plan.parallel.ranks).reduce<Hop>(
    (worst, rank) => farther(worst, rankHop(plan.hardware.topology, mapping, 0, rank)),
    'self'
  )
}

/** Seconds of a transfer of `bytes` per device over a hop; 0 on one device. */
export function hopSeconds(plan: Plan, hop: Hop, bytes: number): number {
  const link = linkOf(plan.hardware, hop)
  return link ? transferSeconds(plan.hardware, link, bytes) : 0
}

/** Seconds of reducing the gradients of `parameters` per device: FP32 gradients, plus BF16 weights back with ZeRO-1. */
export function reduceSeconds(plan: Plan, devices: readonly number[], parameters: number): number {
  const link = linkOf(plan.hardware, groupHop(plan.hardware.topology, devices))
  if (!link) return 0
  const run = (kind: 'all-reduce' | 'reduce-scatter' | 'all-gather', bytes: number) =>
    collectiveSeconds(plan.hardware, link, kind, devices.length, bytes)
  if (!plan.parallel.zero1) return run('all-reduce', STATE_BYTES.gradient * parameters)
  return run('reduce-scatter', STATE_BYTES.gradient * parameters) + run('all-gather', STATE_BYTES.weight * parameters)
}

/** Devices that average a stage's gradients, and those that average a replicated encoder's. */
export function reduceGroups(plan: Plan): { readonly data: number[]; readonly replica: number[] } {
  const mapping = mappingOf(plan.parallel)
  return { data: dataGroup(mapping, 0), replica: replicaGroup(mapping) }
}

/** Seconds of copying `bytes` from the first rank to all ranks of a pipeline at the start of the step. */
export function broadcastSeconds(plan: Plan, bytes: number): number {
  const link = linkOf(plan.hardware, farthestFromFirst(plan))
  return link ? collectiveSeconds(plan.hardware, link, 'broadcast', plan.parallel.ranks, bytes) : 0
}
