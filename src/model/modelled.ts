import { maximum } from '../base/arrays.ts'
import { fail } from '../base/fault.ts'
import { checkInstance, type InstanceDocument } from '../instance/index.ts'
import type { TextModel, VisionModel } from './architecture.ts'
import type { Assumption } from './assumption.ts'
import { assumptionsOf } from './assumptions.ts'
import { type Derivation, derivationsOf } from './derivations.ts'
import { checkMemory, memoryWarnings } from './fit.ts'
import { textFlopsPerToken } from './flops.ts'
import { documentOf } from './instance-document.ts'
import { plannedLoads } from './loads.ts'
import { textParameters, visionParameters } from './parameters.ts'
import { checkedPlan, cutOf, type Plan } from './plan.ts'
import { textSlabs, textStageCost } from './text-cost.ts'
import { type SeamLink, seamLinks } from './transfers.ts'
import { forwardOf, visionCost, visionStates } from './vision-cost.ts'
import type { MicrobatchLoad } from './workload.ts'

/** Counts of the model. `active` is what one token passes. */
export type ModelCounts = {
  readonly text: number
  readonly vision: number
  readonly total: number
  readonly active: number
}

/** A measured instance with where every number comes from. */
export type Modelled = {
  readonly document: InstanceDocument
  readonly counts: ModelCounts
  /** What the encoder is fed with, per microbatch; empty without one. */
  readonly loads: readonly MicrobatchLoad[]
  readonly flopsPerToken: number
  readonly assumptions: readonly Assumption[]
  readonly derivations: readonly Derivation[]
  readonly seams: readonly SeamLink[]
  readonly warnings: readonly string[]
}

/**
 * Turns a plan into a measured instance: durations in microseconds, bytes per device of a rank. `given` are the
 * assumptions that the import made, `drawn` replaces the planned microbatches. Throws for plans that cannot be, and MEMORY_NO_CUT where no cut could fit.
 */
export function modelInstance(
  plan: Plan,
  given: readonly Assumption[] = [],
  drawn?: readonly MicrobatchLoad[]
): Modelled {
  checkedPlan(plan)
  const text = plan.architecture.text!
  const vision = plan.architecture.vision
  const cut = cutOf(plan, text)
  const stages = textSlabs(text, cut, plan.recomputedLayers).map(slab => textStageCost(plan, text, slab))
  const loads = drawn ?? (vision ? plannedLoads(plan, vision) : [])
  const encodes = vision ? loads.map(load => visionCost(plan, vision, load)) : []
  checkMemory(plan, stages, vision ? visionStates(plan, vision) : { tower: 0, projector: 0 })
  checkTimes([...encodes.map(forwardOf), ...stages.map(one => one.backward)])
  const built = documentOf(plan, text, stages, vision, encodes)
  const checked = checkInstance(built as never)
  if (!checked.ok) throw new Error(`modelled instance is invalid: ${JSON.stringify(checked.faults)}`)
  return {
    document: checked.document,
    counts: countsOf(text, vision),
    loads,
    flopsPerToken: textFlopsPerToken(text, plan.parallel.sequence),
    assumptions: [...given, ...assumptionsOf(plan)],
    derivations: derivationsOf(plan, text, cut, stages, vision, loads, encodes),
    seams: seamLinks(plan),
    warnings: memoryWarnings(plan, stages, vision ? visionStates(plan, vision) : { tower: 0, projector: 0 })
  }
}

/** Longest believable event in seconds: an hour, longer than an epoch of many a run. */
const LONGEST = 3600

function checkTimes(seconds: readonly number[]): void {
  const longest = maximum(seconds)
  if (longest <= LONGEST) return
  fail(
    'UNIT_IMPLAUSIBLE',
    'hardware',
    longest,
    `one encode or backward of a stage would take ${(longest / 3600).toFixed(1)} hours: longer than an epoch takes`,
    'Check the units: peaks are in TFLOPS per device, bandwidths in GB/s, overhead in microseconds.'
  )
}

/** Parameters of the towers. */
export function countsOf(text: TextModel, vision: VisionModel | undefined): ModelCounts {
  const words = textParameters(text)
  const seen = vision ? visionParameters(vision) : { tower: 0, projector: 0 }
  const both = seen.tower + seen.projector
  return { text: words.total, vision: both, total: words.total + both, active: words.active + both }
}
