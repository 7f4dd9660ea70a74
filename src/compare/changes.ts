import { loopMap } from '../algebra/orders/order.ts'
import { layoutOf } from '../algebra/types.ts'
import type { FamilyOrder } from '../schedule/family.ts'
import type { Measured, MeasuredRegion, Slab } from '../schedule/measured.ts'
import type { Problem } from '../schedule/problem.ts'

/**
 * What a family made of the instance before it ordered anything, and what it charges that the instance does not state as
 * a duration, in words: read off its result, so that no family can forget to say it.
 */
export function changesOf(instance: Measured, order: Extract<FamilyOrder, { kind: 'order' }>): string[] {
  const { measured, problem, notes = [] } = order
  return [
    ...sourceChange(instance, measured),
    ...cutChange(instance, measured),
    ...placeChange(measured),
    ...notes,
    ...overlapCharge(instance, problem)
  ]
}

/** Where the slabs of a transposed source went. */
function sourceChange(instance: Measured, made: Measured): string[] {
  const [source] = instance.regions
  if (layoutOf(source.skeleton) !== 'Replicated' || layoutOf(made.regions[0].skeleton) === 'Replicated') return []
  if (made.regions.length < instance.regions.length) return ['encoder fused into stage 0']
  const stages = made.regions[0].stages.length
  return [stages === 1 ? 'encoder alone on rank 0' : `encoder cut into ${stages} equal segments, one per rank`]
}

/** How the backbone is cut otherwise than the instance cuts it. */
function cutChange(instance: Measured, made: Measured): string[] {
  const [before, after] = [backboneOf(instance, instance), backboneOf(instance, made)]
  const same = after.slabs.every(slab => before.all.has(slab))
  if (same && before.stages === after.stages) return []
  if (same) return [`${before.stages / after.stages} neighbouring backbone slabs joined into one`]
  if (isStated(instance.inlineBest, after.slabs) || isStated(instance.dedicatedBest, after.slabs))
    return ['backbone in its best cut (cuts of the instance)']
  if (isStated(instance.dedicated, after.slabs)) return ['backbone cut as the instance states (dedicated)']
  if (after.stages === 1) return ['backbone as one slab on one rank']
  if (after.stages % before.stages === 0)
    return [`each backbone slab cut into ${after.stages / before.stages} equal shares, as if a slab could be cut there`]
  return [`backbone cut into ${after.stages} equal shares, as if it could be cut anywhere`]
}

/** The backbone's slabs (a fused source left out), and the number of stages that they make. */
function backboneOf(instance: Measured, measured: Measured) {
  const origins = new Set(sharded(instance).flatMap(region => region.stages.flat().map(slab => slab.origin)))
  const stages = sharded(measured)
    .flatMap(region => region.stages)
    .map(stage => stage.filter(slab => origins.has(slab.origin)))
    .filter(stage => stage.length > 0)
  const slabs = stages.flat()
  return { stages: stages.length, slabs, all: new Set(slabs) }
}

function sharded({ regions }: Measured): MeasuredRegion[] {
  return regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
}

function isStated(cut: readonly Slab[] | undefined, slabs: readonly Slab[]): boolean {
  return cut?.length === slabs.length && slabs.every(slab => cut.includes(slab))
}

/** A stage map other than s mod P. */
function placeChange({ stageMap, ranks }: Measured): string[] {
  if (!stageMap) return []
  const { copies } = stageMap
  if (copies.length > 1) return [`${copies.length} copies of the model: parameters ${copies.length}x on every rank`]
  const loop = loopMap(copies[0].length, ranks)
  return copies[0].every((rank, stage) => rank === loop[stage]) ? [] : ['stages folded back and forth over the ranks']
}

/** The time that overlapped pairs were charged. */
function overlapCharge({ overlap, unit, ticksPerUnit }: Measured, { fusable }: Problem): string[] {
  if (fusable.length === 0) return []
  const pairs = 'overlapped F&B pairs charged'
  if (!overlap) return [`${pairs} F + B each, no gain (options.overlap is the input)`]
  const least = 'at least the longer part'
  return overlap.kind === 'factor'
    ? [`${pairs} ${overlap.perMillion / 1e6} x (F + B) each, ${least} (options.overlap)`]
    : [`${pairs} ${overlap.ticks / ticksPerUnit} ${unit} each, ${least} (options.overlap)`]
}
