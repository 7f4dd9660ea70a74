import { firstStages, hasSource } from '../algebra/derive.ts'
import { partBackwards } from '../algebra/gates.ts'
import { rankOfStage, ranksOfStage } from '../algebra/placement.ts'
import { isPlain, layoutOf } from '../algebra/types.ts'
import { range, sum } from '../base/arrays.ts'
import { notYet } from '../base/fault.ts'
import type { Byte, Measured, Slab, Tick } from '../schedule/measured.ts'
import { type SourceRules, sourceRules } from './source-rules.ts'
import { reductionTicks, type StageRules, stageRules } from './stage-rules.ts'

/** The rules of spec sections 2 and 3 for one instance, restated from the measured numbers and the algebra alone. */
export type Rules = {
  readonly measured: Measured
  readonly stages: readonly StageRules[]
  readonly source?: SourceRules
  readonly firstStageRank: number
  /** First stage of each region, so that names can be checked. */
  readonly firstStage: readonly number[]
  /** Data-group reductions: one per (trainable region, rank) that takes time. */
  readonly reductions: readonly { readonly region: number; readonly rank: number; readonly ticks: Tick }[]
  readonly fixedBytes: readonly Byte[]
}

/** @throws FaultError NOT_YET outside the timed scope of spec section 2 */
export function rulesOf(measured: Measured): Rules {
  checkScope(measured)
  const runs = partBackwards(measured.regions)
  const firstStage = firstStages(measured.regions)
  const works = microbatchesWithWork(measured)
  const stages = measured.regions.flatMap((region, index) =>
    layoutOf(region.skeleton) === 'Replicated'
      ? []
      : region.stages.map((stage, local) => ({
          region: index,
          rankOf: (m: number) => rankOfStage(measured, firstStage[index] + local, m),
          works: works[index],
          ...stageRules(stage, runs[index][local], measured.microbatches)
        }))
  )
  const transposed = layoutOf(measured.regions[0].skeleton) === 'Replicated'
  return {
    measured,
    stages,
    ...(transposed ? { source: sourceRules(measured, runs[0][0], works[0]) } : {}),
    firstStageRank: rankOfStage(measured, 0, 0),
    firstStage,
    reductions: dataGroupReductions(measured, firstStage),
    fixedBytes: range(measured.ranks).map(rank => fixedBytes(measured, firstStage, rank))
  }
}

function checkScope(measured: Measured): void {
  const skeletons = measured.regions.map(region => region.skeleton)
  const extended = skeletons.find(skeleton => !isPlain(skeleton))
  if (extended) notYet('schedule', extended, `checking the skeleton ${extended}`, 'Use 1f1b or gpipe.')
  if (skeletons.slice(1).some(skeleton => layoutOf(skeleton) === 'Replicated'))
    notYet('schedule', skeletons, 'checking a Replicated region that is not the source', 'Make it 1f1b.')
  if (new Set(skeletons.filter(skeleton => layoutOf(skeleton) === 'Sharded')).size > 1)
    notYet(
      'schedule',
      skeletons,
      'checking Sharded regions of different skeletons',
      'Give all Sharded regions one skeleton.'
    )
}

/** Per region and microbatch: everywhere, but in a source region only where its whole forward takes time. */
function microbatchesWithWork(measured: Measured): boolean[][] {
  const source = hasSource(measured.regions)
  return measured.regions.map((region, index) =>
    range(measured.microbatches).map(
      m => index > 0 || !source || region.stages.some(stage => stage.some(slab => slab.forward[m] > 0))
    )
  )
}

/** Slabs that sit on a rank, once for every copy of them there. */
function slabsOnRank(measured: Measured, firstStage: readonly number[], region: number, rank: number): Slab[] {
  const { skeleton, stages } = measured.regions[region]
  if (layoutOf(skeleton) === 'Replicated') return stages.flat()
  return stages.flatMap((stage, local) => {
    const copies = ranksOfStage(measured, firstStage[region] + local).filter(other => other === rank)
    return copies.flatMap(() => stage)
  })
}

function dataGroupReductions(measured: Measured, firstStage: readonly number[]) {
  const sharded = [...measured.regions.keys()].filter(index => layoutOf(measured.regions[index].skeleton) === 'Sharded')
  return sharded
    .flatMap(region =>
      range(measured.ranks).map(rank => ({
        region,
        rank,
        ticks: reductionTicks(slabsOnRank(measured, firstStage, region, rank), measured)
      }))
    )
    .filter(reduction => reduction.ticks > 0)
}

/** Reserved bytes and the parameters of all slabs placed on the rank; a Replicated region sits on every rank. */
function fixedBytes(measured: Measured, firstStage: readonly number[], rank: number): Byte {
  const slabs = [...measured.regions.keys()].flatMap(region => slabsOnRank(measured, firstStage, region, rank))
  return measured.reserved[rank] + sum(slabs.map(slab => slab.parameters))
}
