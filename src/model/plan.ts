import { range, sum } from '../base/arrays.ts'
import { type Fault, FaultError } from '../base/fault.ts'
import type { Mapping } from '../hardware/mapping.ts'
import type { Hardware } from '../hardware/types.ts'
import type { Recompute, Spread } from './activations.ts'
import type { Architecture, TextModel } from './architecture.ts'
import type { Workload } from './workload.ts'

/** How a model is spread over devices. Sizes multiply to the devices of one step: ranks x tensor x context x data. */
export type Parallel = {
  readonly ranks: number
  readonly chunks: number
  readonly microbatches: number
  readonly tensor: number
  readonly context: number
  readonly data: number
  readonly expert: number
  readonly sequenceParallel: boolean
  /** Optimizer states spread over the data-parallel members (ZeRO stage 1). */
  readonly zero1: boolean
  readonly microbatchSize: number
  readonly sequence: number
  /** Devices of a rank that share out its encoder work: 1 to tensor x context. */
  readonly visionShare: number
  readonly order: Mapping['order']
}

/** Which parts are trained. */
export type Training = { readonly vision: boolean; readonly projector: boolean; readonly text: boolean }

/**
 * Where a duration comes from: `mfu` divides by the sustained fraction of a whole training step, exchanges inside a
 * layer included; `roofline` takes the kernel's fraction and adds every exchange.
 */
export type Efficiency = 'mfu' | 'roofline'

/** A cut with its recomputed layers. */
export type OtherCut = { readonly cut: readonly number[]; readonly recomputed: readonly (readonly boolean[])[] }

/** Everything that the cost model needs; nothing left open. */
export type Plan = {
  readonly name: string
  readonly architecture: Architecture
  readonly hardware: Hardware
  readonly parallel: Parallel
  readonly training: Training
  readonly efficiency: Efficiency
  readonly flash: boolean
  /** State backwards as input and weight parts, which may run apart. */
  readonly split: boolean
  readonly recompute: Recompute
  /** Whether a trained vision tower keeps its layers' inputs only. */
  readonly visionRecompute: 'none' | 'full'
  /** Extra prediction layers that are trained (at most what the architecture has). */
  readonly predictions: number
  /** Text layers per stage; absent: even, the first stages take the rest. */
  readonly cut?: readonly number[]
  /** Layers per stage that are fully recomputed beside `recompute`: the first so many, or one by one. */
  readonly recomputedLayers?: readonly (number | readonly boolean[])[]
  /** Cuts for the families that place the encoder otherwise; absent: even ones. */
  readonly others?: { readonly inline?: OtherCut; readonly dedicated?: OtherCut }
  /** Microseconds added to every forward and every backward of a stage (host launches). */
  readonly overheadUs: number
  readonly workload: Workload
  readonly seed: number
  /** Which data-parallel group is planned for: the one with most encoder work, or each microbatch's worst over groups. */
  readonly groups: 'slowest' | 'envelope'
}

/** Tensor, sequence and context parallelism of the text tower. */
export function spreadOf(parallel: Parallel): Spread {
  return { tensor: parallel.tensor, sequenceParallel: parallel.sequenceParallel, context: parallel.context }
}

/** Which devices the pipeline ranks span. */
export function mappingOf(parallel: Parallel): Mapping {
  return {
    ranks: parallel.ranks,
    inner: parallel.tensor * parallel.context,
    replicas: parallel.data,
    order: parallel.order
  }
}

/** Layers per stage: as even as can be, the first stages take what is left over. */
export function evenCut(layers: number, stages: number): number[] {
  const base = Math.floor(layers / stages)
  return range(stages).map(stage => base + (stage < layers % stages ? 1 : 0))
}

/** The cut of a plan, checked: every layer placed once. */
export function cutOf(plan: Plan, text: TextModel): readonly number[] {
  return plan.cut ?? evenCut(text.layers.length, plan.parallel.ranks * plan.parallel.chunks)
}

/** What a plan says that cannot be; all of it. */
export function planFaults(plan: Plan): Fault[] {
  const { parallel, architecture } = plan
  const { text } = architecture
  const faults: Fault[] = []
  const add = (code: string, path: string, value: unknown, message: string, advice: string) =>
    faults.push({ code, path, value, message, advice })
  if (!text) {
    add(
      'MODEL_NO_TEXT',
      'model',
      architecture.name,
      'the model has no text tower',
      'Give the language model with --config.'
    )
    return faults
  }
  const stages = parallel.ranks * parallel.chunks
  if (text.layers.length < stages)
    add(
      'CUT_TOO_FEW_LAYERS',
      'parallel.ranks',
      stages,
      `${text.layers.length} layers cannot fill ${stages} stages`,
      'Use fewer ranks or chunks: every stage needs a layer.'
    )
  if (plan.cut) faults.push(...cutFaults(plan.cut, text.layers.length, stages, 'parallel.layers'))
  faults.push(...divisionFaults(plan, text))
  const experts = Math.max(
    0,
    ...text.layers.map(one => (one.feedForward.kind === 'experts' ? one.feedForward.experts : 0))
  )
  const members = parallel.tensor * parallel.context * parallel.data
  if (parallel.expert > 1 && experts === 0)
    add('PARALLEL_EXPERT', 'parallel.ep', parallel.expert, 'the model has no experts', 'Set ep to 1.')
  else if (parallel.expert > 1 && (experts % parallel.expert !== 0 || members % parallel.expert !== 0))
    add(
      'PARALLEL_EXPERT',
      'parallel.ep',
      parallel.expert,
      `${experts} experts on ${members} devices of a stage cannot be spread over ${parallel.expert} members`,
      'ep must divide the number of experts and tp x cp x dp.'
    )
  return faults
}

function divisionFaults(plan: Plan, text: TextModel): Fault[] {
  const { parallel } = plan
  const faults: Fault[] = []
  const [first] = text.layers
  const heads = first.attention.kind === 'delta' ? first.attention.valueHeads : first.attention.heads
  if (heads % parallel.tensor !== 0)
    faults.push({
      code: 'PARALLEL_TENSOR',
      path: 'parallel.tp',
      value: parallel.tensor,
      message: `${heads} attention heads cannot be split over ${parallel.tensor} members`,
      advice: 'tp must divide the number of attention heads.'
    })
  if (parallel.sequence % (parallel.context * (parallel.sequenceParallel ? parallel.tensor : 1)) !== 0)
    faults.push({
      code: 'PARALLEL_SEQUENCE',
      path: 'parallel.sequence',
      value: parallel.sequence,
      message: `a sequence of ${parallel.sequence} tokens cannot be split evenly`,
      advice: 'sequence must be a multiple of cp, and of tp x cp with sequence parallelism.'
    })
  if (parallel.visionShare > parallel.tensor * parallel.context)
    faults.push({
      code: 'PARALLEL_VISION',
      path: 'parallel.visionShare',
      value: parallel.visionShare,
      message: `a rank has ${parallel.tensor * parallel.context} devices, not ${parallel.visionShare}`,
      advice: 'visionShare is at most tp x cp.'
    })
  if (plan.predictions > text.predictions)
    faults.push({
      code: 'MODEL_PREDICTIONS',
      path: 'model.predictions',
      value: plan.predictions,
      message: `the model has ${text.predictions} extra prediction layers`,
      advice: `Use at most ${text.predictions}.`
    })
  return faults
}

/** Faults of a list of layers per stage: its length, its sum (no layer may be lost), empty stages. */
export function cutFaults(cut: readonly number[], layers: number, stages: number, path: string): Fault[] {
  const faults: Fault[] = []
  if (cut.length !== stages)
    faults.push({
      code: 'CUT_LENGTH',
      path,
      value: cut.length,
      message: `${cut.length} entries for ${stages} stages`,
      advice: 'Give one number of layers per stage (ranks x chunks).'
    })
  const placed = sum(cut)
  if (placed !== layers)
    faults.push({
      code: 'CUT_SUM',
      path,
      value: `[${cut.join(', ')}]`,
      message: `${placed} of ${layers} layers placed`,
      advice: `The entries must add up to ${layers}.`
    })
  return faults
}

/** The plan itself; throws one report of all that cannot be. */
export function checkedPlan(plan: Plan): Plan {
  const faults = planFaults(plan)
  if (faults.length > 0) throw new FaultError(faults)
  return plan
}
