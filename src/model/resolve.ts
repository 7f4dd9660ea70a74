import { fail } from '../base/fault.ts'
import { type Overrides, withOverrides } from '../hardware/overrides.ts'
import { hardwareByName } from '../hardware/presets.ts'
import type { Hardware } from '../hardware/types.ts'
import type { ModelledDocument } from '../instance/modelled-schema.ts'
import type { Assumption } from './assumption.ts'
import { type Imported, importHuggingFace, joinTowers } from './import/huggingface.ts'
import { importMindSpeed, isMindSpeed } from './import/mindspeed.ts'
import type { Parallel, Plan, Training } from './plan.ts'
import { SPREADS, type Workload } from './workload.ts'

/** A plan with what was assumed on the way. */
export type Resolved = { readonly plan: Plan; readonly assumptions: readonly Assumption[] }

/** Fills everything that a modelled document leaves open. Throws FaultError for configs and hardware that cannot be. */
export function resolvePlan(document: ModelledDocument): Resolved {
  const imported = readTowers(document)
  const { architecture } = imported
  const parallel = parallelOf(document)
  const training: Training = {
    vision: document.train.vision,
    projector: document.train.projector ?? document.train.vision,
    text: document.train.text
  }
  const cut = document.parallel.layers ?? imported.cut
  const plan: Plan = {
    name: document.name,
    architecture,
    hardware: hardwareOf(document.hardware),
    parallel,
    training,
    efficiency: document.cost.efficiency,
    flash: document.cost.flash,
    split: document.cost.split,
    recompute: document.cost.recompute,
    visionRecompute: document.cost.visionRecompute,
    predictions: document.cost.predictions,
    ...(cut ? { cut } : {}),
    ...(document.parallel.recomputedLayers ? { recomputedLayers: document.parallel.recomputedLayers } : {}),
    overheadUs: document.cost.overhead,
    workload: workloadOf(document, parallel),
    seed: document.seed,
    groups: document.groups
  }
  return { plan, assumptions: imported.assumptions }
}

type WithCut = Imported & { readonly cut?: readonly number[] }

function readTowers(document: ModelledDocument): WithCut {
  const main: WithCut = isMindSpeed(document.model)
    ? importMindSpeed(document.model)
    : importHuggingFace(document.model)
  if (!document.vision) return main
  const joined = joinTowers(main, importHuggingFace(document.vision))
  return main.cut ? { ...joined, cut: main.cut } : joined
}

function parallelOf(document: ModelledDocument): Parallel {
  const given = document.parallel
  return {
    ranks: document.ranks ?? given.pp!,
    chunks: given.chunks,
    microbatches: document.microbatches,
    tensor: given.tp,
    context: given.cp,
    data: given.dp,
    expert: given.ep,
    sequenceParallel: given.sequenceParallel ?? given.tp > 1,
    zero1: given.zero1,
    microbatchSize: given.microbatchSize,
    sequence: given.sequence,
    visionShare: given.visionShare ?? given.tp * given.cp,
    order: given.order
  }
}

/** Numbers that hardware without a preset must give. */
const NEEDED = ['bf16Tflops', 'memoryGiB', 'bandwidthGBs', 'nodeGBs'] as const

/** A preset by name, with overrides, or hardware of its own (the rest as the first preset). */
export function hardwareOf(given: ModelledDocument['hardware']): Hardware {
  if (typeof given === 'string') return hardwareByName(given)
  const { preset, ...numbers } = given
  if (preset !== undefined && typeof preset !== 'string')
    return fail('HARDWARE_UNKNOWN', 'hardware.preset', preset, 'preset must be a name', 'See `tropipe hardware`.')
  if (preset !== undefined) return withOverrides(hardwareByName(preset, 'hardware.preset'), numbers as Overrides)
  const missing = NEEDED.filter(key => !Object.hasOwn(numbers, key))
  if (missing.length > 0)
    return fail(
      'HARDWARE_INCOMPLETE',
      'hardware',
      Object.keys(numbers).join(', '),
      `hardware without a preset must give ${missing.join(', ')}`,
      'Name a preset, or give all of them.'
    )
  const base = withOverrides(hardwareByName('ascend-910c-die'), numbers as Overrides)
  return {
    ...base,
    id: 'inline',
    title: 'inline hardware',
    aliases: [],
    notes: ['what is not given is as ascend-910c-die']
  }
}

function workloadOf(document: ModelledDocument, parallel: Parallel): Workload {
  const given = document.workload
  switch (given.kind) {
    case 'laion': {
      const { maxPixels, ...rest } = given
      return maxPixels === undefined ? rest : { ...rest, maxPixels }
    }
    case 'video':
    case 'counts':
      return given
    default: {
      const tokens = parallel.microbatchSize * parallel.sequence
      const visualTokens = given.visualTokens ?? tokens / 2
      if (visualTokens > tokens)
        fail(
          'WORKLOAD_TOO_LONG',
          'workload.visualTokens',
          visualTokens,
          `${visualTokens} visual tokens do not fit into the ${tokens} tokens of a microbatch`,
          'Lower visualTokens, or raise sequence or microbatchSize.'
        )
      return {
        kind: given.kind,
        visualTokens,
        tokensPerImage: given.tokensPerImage,
        variation: given.variation ?? SPREADS[given.kind],
        textShare: given.textShare ?? (given.kind === 'mixed' ? 0.25 : 0)
      }
    }
  }
}
