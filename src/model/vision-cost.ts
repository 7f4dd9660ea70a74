import { sum } from '../base/arrays.ts'
import { roofline } from '../hardware/cost.ts'
import { visionActivationBytes } from './activations.ts'
import type { VisionModel } from './architecture.ts'
import { visionForward } from './flops.ts'
import { visionMatrices, visionParameters } from './parameters.ts'
import type { Plan } from './plan.ts'
import { STATE_BYTES } from './states.ts'
import type { MicrobatchLoad } from './workload.ts'

/** Seconds and bytes of the encoder for one microbatch, per device; tower and projector apart. */
export type VisionCost = {
  readonly tower: { readonly forward: number; readonly backward: number }
  readonly projector: { readonly forward: number; readonly backward: number }
  /** Bytes kept until the backward, or during the forward where there is none. */
  readonly activation: number
  /** Bytes of the features that go to the backbone. */
  readonly output: number
  readonly flops: number
}

/** Cost of encoding one microbatch on one rank; 0 for a text-only one. B = 2F where trained. */
export function visionCost(plan: Plan, vision: VisionModel, load: MicrobatchLoad): VisionCost {
  const flops = visionForward(vision, load)
  const share = plan.parallel.visionShare
  const patches = sum(load)
  const { sustained } = plan.hardware
  const fraction =
    plan.efficiency === 'mfu' ? sustained.vit.value : Math.min(sustained.kernel.value, sustained.vit.high)
  const matrices = visionMatrices(vision)
  const seconds = (work: number, weights: number) =>
    work === 0 ? 0 : roofline(plan.hardware, work / share, 2 * weights, fraction).seconds
  const tower = seconds(flops.tower, vision.depth * matrices.layer) + (patches > 0 ? plan.overheadUs / 1e6 : 0)
  const projector = seconds(flops.projector, matrices.projector)
  const trains = plan.training.vision || plan.training.projector
  return {
    tower: { forward: tower, backward: plan.training.vision ? (plan.visionRecompute === 'full' ? 3 : 2) * tower : 0 },
    projector: { forward: projector, backward: trains ? 2 * projector : 0 },
    activation: keptBytes(plan, vision, patches),
    output: ((patches / vision.merge ** 2) * vision.projector.output * 2) / share,
    flops: flops.tower + flops.projector
  }
}

/** A frozen tower keeps two layers' worth while it runs; a trained one keeps every layer until its backward. */
function keptBytes(plan: Plan, vision: VisionModel, patches: number): number {
  const bytes = (recompute: 'none' | 'full') =>
    visionActivationBytes(vision, patches, plan.parallel.visionShare, { recompute, flash: plan.flash })
  const working = (bytes('none') * 2) / vision.depth
  if (!plan.training.vision) return working
  return plan.visionRecompute === 'full' ? bytes('full') + working : bytes('none')
}

/** Bytes of weights, gradients and optimizer states of tower and projector on every device that holds a copy. */
export function visionStates(plan: Plan, vision: VisionModel): { readonly tower: number; readonly projector: number } {
  const { tower, projector } = visionParameters(vision)
  const members = plan.parallel.zero1 ? plan.parallel.data : 1
  const trained = STATE_BYTES.weight + STATE_BYTES.gradient + STATE_BYTES.optimizer / members
  return {
    tower: tower * (plan.training.vision ? trained : STATE_BYTES.weight),
    projector: projector * (plan.training.projector ? trained : STATE_BYTES.weight)
  }
}

/** Seconds of encoding one microbatch. */
export function forwardOf(cost: VisionCost): number {
  return cost.tower.forward + cost.projector.forward
}
