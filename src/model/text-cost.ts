import { maximum, sum } from '../base/arrays.ts'
import { type Collective, collectiveSeconds, roofline } from '../hardware/cost.ts'
import { dataGroup, groupHop, innerGroup, linkOf } from '../hardware/mapping.ts'
import {
  type ActivationRule,
  embeddingActivationBytes,
  headActivationBytes,
  layerActivationBytes
} from './activations.ts'
import type { Layer, TextModel } from './architecture.ts'
import { headForward, layerForward, predictionForward, type TokenLoad, wholeSequences } from './flops.ts'
import { layerWeights, predictionWeights } from './parameters.ts'
import { mappingOf, type Plan, spreadOf } from './plan.ts'
import { type Held, perDevice, stateBytes } from './states.ts'

/** A stage of the text tower: its layers, which of them are recomputed beside the plan's rule, and its ends. */
export type TextSlab = {
  readonly layers: readonly Layer[]
  readonly embedding: boolean
  readonly head: boolean
  readonly recomputed: readonly boolean[]
}

/** Seconds and bytes of one stage for one microbatch, per device. */
export type StageCost = {
  readonly forward: number
  readonly backward: number
  /** The part of the backward that gradients of the weights take; 0 where the text is frozen. */
  readonly weight: number
  readonly activation: number
  /** Bytes of weights, gradients and optimizer states. */
  readonly states: number
  readonly bound: 'compute' | 'memory'
  /** Seconds of exchanges inside the forward (roofline mode). */
  readonly exchange: number
  readonly flops: number
}

/** Tokens of one microbatch: sequences packed full, each one document (the upper end for attention). */
export function loadOf(plan: Plan): TokenLoad {
  return wholeSequences(plan.parallel.microbatchSize, plan.parallel.sequence)
}

/** How activations of a layer are kept; recomputed layers keep their input. */
export function ruleOf(plan: Plan, recomputed: boolean): ActivationRule {
  return { recompute: recomputed ? 'full' : plan.recompute, flash: plan.flash }
}

/** Cost of one stage of the text tower. */
export function textStageCost(plan: Plan, text: TextModel, slab: TextSlab): StageCost {
  const parts = slab.layers.map(layer => layerCost(plan, text, layer))
  if (slab.head) parts.push(headCost(plan, text))
  const forward = sum(parts.map(one => one.forward)) + plan.overheadUs / 1e6
  const factor = plan.training.text ? 2 : 1
  const repeated = sum(
    slab.layers.map((_, index) => (plan.recompute === 'full' || slab.recomputed[index] ? parts[index].forward : 0))
  )
  return {
    forward,
    backward: factor * sum(parts.map(one => one.forward)) + repeated + plan.overheadUs / 1e6,
    weight: plan.training.text ? sum(parts.map(one => one.forward)) : 0,
    activation: stageActivation(plan, text, slab),
    states: stateBytes(heldBy(plan, text, slab), plan.parallel, plan.training.text),
    bound: parts.some(one => one.bound === 'compute') ? 'compute' : 'memory',
    exchange: sum(parts.map(one => one.exchange)),
    flops: sum(parts.map(one => one.flops))
  }
}

type Part = { forward: number; bound: 'compute' | 'memory'; exchange: number; flops: number }

function layerCost(plan: Plan, text: TextModel, layer: Layer): Part {
  const { tensor, context } = plan.parallel
  const load = loadOf(plan)
  const flops = layerForward(layer, text.hidden, load) / (tensor * context)
  const weights = layerWeights(layer, text.hidden)
  const local = perDevice(weights, plan.parallel)
  const kept = layerActivationBytes(layer, text.hidden, load.tokens, plan.parallel.sequence, spreadOf(plan.parallel), {
    recompute: 'none',
    flash: plan.flash
  })
  const bytes = 2 * (local.dense + local.routed) + 2 * kept
  return withExchange(plan, flops, bytes, sustainedOf(plan, layer), exchangeSeconds(plan, text, layer))
}

function headCost(plan: Plan, text: TextModel): Part {
  const { tensor, context } = plan.parallel
  const load = loadOf(plan)
  const extra = plan.predictions * predictionForward(text, load)
  const flops = (headForward(text, load) + extra) / (tensor * context)
  const bytes =
    (2 * text.vocabulary * text.hidden) / tensor + headActivationBytes(text, load.tokens, spreadOf(plan.parallel))
  return withExchange(plan, flops, bytes, sustainedOf(plan, text.layers[text.layers.length - 1]), 0)
}

function withExchange(plan: Plan, flops: number, bytes: number, sustained: number, exchange: number): Part {
  const { seconds, bound } = roofline(plan.hardware, flops, bytes, sustained)
  return { forward: seconds + exchange, bound, exchange, flops }
}

/** Sustained fraction of the peak for a layer. */
export function sustainedOf(plan: Plan, layer: Layer): number {
  const { sustained } = plan.hardware
  if (plan.efficiency === 'roofline') return sustained.kernel.value
  return layer.feedForward.kind === 'experts' ? sustained.moeLlm.value : sustained.denseLlm.value
}

/** Exchanges of one layer's forward: tensor, expert and context parallel. Counted in roofline mode only. */
function exchangeSeconds(plan: Plan, text: TextModel, layer: Layer): number {
  if (plan.efficiency === 'mfu') return 0
  const { tensor, context, expert, sequenceParallel } = plan.parallel
  const load = loadOf(plan)
  const local = load.tokens / context
  const tensorBytes = 2 * local * text.hidden
  const mapping = mappingOf(plan.parallel)
  const inner = groupHop(plan.hardware.topology, innerGroup(mapping, 0))
  const wide = groupHop(plan.hardware.topology, [...innerGroup(mapping, 0), ...dataGroup(mapping, 0)])
  const run = (kind: Collective, members: number, bytes: number, hop = inner) => {
    const link = linkOf(plan.hardware, hop)
    return link ? collectiveSeconds(plan.hardware, link, kind, members, bytes) : 0
  }
  const byTensor = sequenceParallel
    ? 2 * (run('all-gather', tensor, tensorBytes) + run('reduce-scatter', tensor, tensorBytes))
    : 2 * run('all-reduce', tensor, tensorBytes)
  const routed = layer.feedForward.kind === 'experts' ? layer.feedForward.active : 0
  const dispatched = (2 * routed * text.hidden * local) / tensor
  const byExpert = 2 * run('all-to-all', expert, dispatched, expert > tensor * context ? wide : inner)
  return byTensor + byExpert + run('all-gather', context, (2 * keyValueBytes(layer) * load.tokens) / tensor)
}

function keyValueBytes(layer: Layer): number {
  const { attention } = layer
  if (attention.kind === 'softmax') return 2 * attention.kvHeads * attention.headDim
  return attention.kind === 'latent' ? attention.kvRank + attention.ropeDim : 0
}

/** Parameters that a stage holds, all devices together. */
export function heldBy(plan: Plan, text: TextModel, slab: TextSlab): Held {
  const layers = slab.layers.map(layer => layerWeights(layer, text.hidden))
  const table = text.vocabulary * text.hidden
  const extra = slab.head ? plan.predictions : 0
  const prediction = predictionWeights(text)
  const tables = (slab.embedding ? table : 0) + (slab.head ? table + text.hidden : 0)
  return {
    dense: sum(layers.map(one => one.dense)) + tables + extra * prediction.dense,
    routed: sum(layers.map(one => one.routed)) + extra * prediction.routed
  }
}

function stageActivation(plan: Plan, text: TextModel, slab: TextSlab): number {
  const { tokens } = loadOf(plan)
  const spread = spreadOf(plan.parallel)
  const layers = slab.layers.map((layer, index) =>
    layerActivationBytes(
      layer,
      text.hidden,
      tokens,
      plan.parallel.sequence,
      spread,
      ruleOf(plan, slab.recomputed[index])
    )
  )
  const first = slab.embedding ? embeddingActivationBytes(text, tokens, spread) : 0
  const last = slab.head ? (1 + plan.predictions) * headActivationBytes(text, tokens, spread) : 0
  return sum(layers) + first + last
}

/** Bytes that recomputation needs once per device: everything that one layer keeps without it. */
export function workingSet(plan: Plan, text: TextModel): number {
  if (
    plan.recompute !== 'full' &&
    !plan.recomputedLayers?.some(one => (typeof one === 'number' ? one > 0 : one.includes(true)))
  )
    return 0
  const { tokens } = loadOf(plan)
  const rule = { recompute: 'none', flash: plan.flash } as const
  const kinds = new Set(text.layers)
  return maximum(
    [...kinds].map(layer =>
      layerActivationBytes(layer, text.hidden, tokens, plan.parallel.sequence, spreadOf(plan.parallel), rule)
    )
  )
}

/** Recomputed layers of a stage: the first so many of it, or one by one. */
export type Recomputed = number | readonly boolean[]

/** The stages of a cut: the embedding before the first, the head behind the last. */
export function textSlabs(text: TextModel, cut: readonly number[], recomputed: readonly Recomputed[] = []): TextSlab[] {
  let from = 0
  return cut.map((count, stage) => {
    const layers = text.layers.slice(from, from + count)
    from += count
    const again = recomputed[stage] ?? 0
    return {
      layers,
      embedding: stage === 0,
      head: stage === cut.length - 1,
      recomputed: layers.map((_, index) => (typeof again === 'number' ? index < again : again[index]))
    }
  })
}
