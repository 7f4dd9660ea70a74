import type { StageMap } from '../algebra/placement.ts'
import { layoutOf } from '../algebra/types.ts'
import { range } from '../base/arrays.ts'
import { equalShare } from '../schedule/costs.ts'
import type { BackwardCost, Measured, MeasuredRegion, Slab, Stage } from '../schedule/measured.ts'
import { inlineMeasured } from './inline.ts'

/**
 * The instance that a backbone family runs on: its backbone cut into `chunks` slabs per rank, a transposed source fused
 * into stage 0 (as in `inline`). Fewer chunks join neighbouring slabs; more cut each slab into equal shares, which
 * assumes that a slab can be cut there. A text says why it cannot be.
 */
export function backboneOf(measured: Measured, chunks: number): Measured | string {
  const sharded = measured.regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
  const slabs = sharded.reduce((total, region) => total + region.stages.length, 0)
  if (slabs === 0) return 'no backbone to schedule'
  const wanted = chunks * measured.ranks
  const cut = slabs === wanted ? measured : recut(measured, sharded, wanted)
  if (typeof cut === 'string') return cut
  return layoutOf(cut.regions[0].skeleton) === 'Replicated' ? inlineMeasured(cut) : cut
}

/** Chunks per rank that the instance states. */
export function chunksOf(measured: Measured): number {
  const sharded = measured.regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
  return sharded.reduce((total, region) => total + region.stages.length, 0) / measured.ranks
}

/** The instance with its stages where the map puts them. */
export function placedBy(measured: Measured, copies: StageMap['copies'], copyOf?: readonly number[]): Measured {
  return { ...measured, stageMap: { copies, copyOf: copyOf ?? range(measured.microbatches).map(() => 0) } }
}

/** Why a split backward cannot be scheduled, or undefined: every backbone slab must give both parts. */
export function splitObstacle(measured: Measured): string | undefined {
  const slabs = measured.regions.filter(region => layoutOf(region.skeleton) === 'Sharded').flatMap(r => r.stages.flat())
  return slabs.every(slab => slab.backward.kind === 'split')
    ? undefined
    : 'needs every backbone slab to give its backward as {input, weight}'
}

function recut(measured: Measured, sharded: readonly MeasuredRegion[], wanted: number): Measured | string {
  const [region, ...more] = sharded
  if (more.length > 0) return `needs ${wanted} slabs in all, or one backbone region to cut anew`
  const stages = cutStages(region.stages, wanted, measured.microbatches)
  if (typeof stages === 'string') return stages
  return { ...measured, regions: measured.regions.map(one => (one === region ? { ...region, stages } : one)) }
}

function cutStages(stages: readonly Stage[], wanted: number, microbatches: number): Stage[] | string {
  if (stages.length % wanted === 0) {
    const group = stages.length / wanted
    return range(wanted).map(index => stages.slice(index * group, (index + 1) * group).flat())
  }
  if (wanted % stages.length !== 0) return `cannot cut ${stages.length} slabs into ${wanted} equal shares`
  const shares = wanted / stages.length
  if (stages.some(stage => stage.length > 1)) return 'cannot cut a fused slab'
  return stages.flatMap(([slab]) => range(shares).map(k => [shareOf(slab, k, shares, microbatches)]))
}

/** Share k of n of a slab: floor((k+1)*X/n) - floor(k*X/n) of every number X of it. */
export function shareOf(slab: Slab, k: number, n: number, microbatches: number): Slab {
  const share = (total: number) => equalShare(total, n, k)
  const each = (ticks: readonly number[]) => range(microbatches).map(m => share(ticks[m]))
  const cost = slab.backward
  const backward: BackwardCost =
    cost.kind === 'full'
      ? { kind: 'full', full: each(cost.full) }
      : { ...cost, input: each(cost.input), weight: each(cost.weight) }
  return {
    ...slab,
    forward: each(slab.forward),
    backward,
    activation: share(slab.activation),
    parameters: share(slab.parameters),
    output: k === n - 1 ? slab.output : 0
  }
}
