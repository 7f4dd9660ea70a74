import { firstStages, hasSource } from '../algebra/derive.ts'
import { partBackwards } from '../algebra/gates.ts'
import { rankOfStage, ranksOfStage } from '../algebra/placement.ts'
import { isPlain, isTrainable, layoutOf } from '../algebra/types.ts'
import { range, sum } from '../base/arrays.ts'
import { notYet } from '../base/fault.ts'
import type { Byte, Measured, Slab, Stage, Tick } from '../schedule/measured.ts'

/** What the instance demands of one Sharded stage. Tick lists have M entries. */
export type StageRules = {
  readonly region: number
  /** Where it runs each microbatch. */
  readonly rankOf: (microbatch: number) => number
  /** Whether microbatch m has this stage's forward at all. */
  readonly works: readonly boolean[]
  /** Whether Lemma 1 lets it run a backward, and, of a split one, a weight part. */
  readonly backward: boolean
  readonly weight: boolean
  /** Whether its backward is given in two parts, so that I and W may stand for B. */
  readonly splits: boolean
  readonly forwardTicks: readonly Tick[]
  readonly backwardTicks: readonly Tick[]
  readonly inputTicks: readonly Tick[]
  readonly weightTicks: readonly Tick[]
  /** Activation released at the forward's end, at the backward's end, and the share of the latter that W keeps. */
  readonly releasedBytes: Byte
  readonly heldBytes: Byte
  readonly weightBytes: Byte
  /** The three, less the parts that hold nothing for microbatch m. */
  readonly bytesOf: (microbatch: number) => StageBytes
}

type StageBytes = { readonly releasedBytes: Byte; readonly heldBytes: Byte; readonly weightBytes: Byte }

/** What the instance demands of the Replicated source. */
export type SourceRules = {
  readonly works: readonly boolean[]
  readonly backward: boolean
  readonly forwardTicks: readonly Tick[]
  readonly backwardTicks: readonly Tick[]
  readonly releasedBytes: Byte
  readonly heldBytes: Byte
  readonly outputBytes: Byte
  /** No E on a rank other than the first stage's starts before this tick. */
  readonly broadcast: Tick
  readonly reduction: Tick
}

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

/** `runs[p]`: whether part p of the stage has a backward. */
function stageRules(stage: Stage, runs: readonly boolean[], microbatches: number) {
  const running = stage.filter((_, part) => runs[part])
  const perMicrobatch = (of: (m: number) => Tick) => range(microbatches).map(of)
  const bytes = bytesOf(stage, running)
  const idle = stage.some(slab => slab.holds?.includes(false))
  return {
    backward: running.length > 0,
    weight: running.some(slab => slab.trainable),
    splits: running.length > 0 && running.every(slab => slab.backward.kind === 'split'),
    forwardTicks: perMicrobatch(m => sum(stage.map(slab => slab.forward[m]))),
    backwardTicks: perMicrobatch(m => sum(running.map(slab => inputTicks(slab, m) + weightTicks(slab, m)))),
    inputTicks: perMicrobatch(m => sum(running.map(slab => inputTicks(slab, m)))),
    weightTicks: perMicrobatch(m => sum(running.map(slab => weightTicks(slab, m)))),
    ...bytes,
    bytesOf: (m: number) => {
      const holding = (slabs: Stage) => slabs.filter(slab => slab.holds?.[m] !== false)
      return idle ? bytesOf(holding(stage), holding(running)) : bytes
    }
  }
}

function bytesOf(stage: Stage, running: Stage): StageBytes {
  const heldBytes = sum(running.map(slab => slab.activation))
  const releasedBytes = sum(stage.map(slab => slab.activation)) - heldBytes
  return { heldBytes, releasedBytes, weightBytes: sum(running.map(weightBytes)) }
}

/** The backward that a frozen slab runs as well: of a split one its input part, else the number given. */
function inputTicks({ backward }: Slab, m: number): Tick {
  return backward.kind === 'split' ? backward.input[m] : backward.full[m]
}

function weightTicks({ backward, trainable }: Slab, m: number): Tick {
  return backward.kind === 'split' && trainable ? backward.weight[m] : 0
}

function weightBytes({ backward, trainable, activation }: Slab): Byte {
  return backward.kind === 'split' && trainable ? Math.floor(activation * backward.weightShare) : 0
}

function sourceRules(measured: Measured, runs: readonly boolean[], works: readonly boolean[]): SourceRules {
  const stage = measured.regions[0].stages[0]
  const { encoderBackward, communication, microbatches } = measured
  const rules = stageRules(stage, runs, microbatches)
  const recomputes = encoderBackward === 'first-rank'
  const trainable = isTrainable(measured.regions[0])
  return {
    works,
    backward: rules.backward,
    forwardTicks: rules.forwardTicks,
    backwardTicks: rules.backwardTicks.map((ticks, m) => (recomputes ? ticks + rules.forwardTicks[m] : ticks)),
    releasedBytes: rules.releasedBytes,
    heldBytes: rules.heldBytes,
    outputBytes: measured.regions.length > 1 ? stage[stage.length - 1].output : 0,
    broadcast: trainable ? communication.broadcast : 0,
    reduction: trainable && !recomputes ? reductionTicks(stage, measured) : 0
  }
}

/** Reductions of what is fused in one stage run in parallel: the longest counts. */
function reductionTicks(slabs: readonly Slab[], { communication }: Measured): Tick {
  const trainable = slabs.filter(slab => slab.trainable)
  return Math.max(0, ...trainable.map(slab => communication.reduce.get(slab.origin) ?? 0))
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
