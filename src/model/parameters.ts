import { sum } from '../base/arrays.ts'
import type { Attention, FeedForward, Layer, TextModel, VisionModel } from './architecture.ts'

/**
 * Weights of one attention block. `matrix` takes part in matrix products (2 FLOPs per token each), `other` is norms and
 * biases.
 */
export type Weights = { readonly matrix: number; readonly other: number }

/** Weights of an attention block on a width of `hidden`. */
export function attentionWeights(attention: Attention, hidden: number): Weights {
  switch (attention.kind) {
    case 'softmax': {
      const query = attention.heads * attention.headDim
      const key = attention.kvHeads * attention.headDim
      const bias = attention.bias ? query + 2 * key : 0
      return {
        matrix: hidden * (query * (attention.gated ? 2 : 1) + 2 * key) + query * hidden,
        other: bias + (attention.normed ? 2 * attention.headDim : 0)
      }
    }
    case 'latent': {
      const { heads, queryRank, kvRank, plainDim, ropeDim, valueDim } = attention
      const query = heads * (plainDim + ropeDim)
      const queries = queryRank > 0 ? hidden * queryRank + queryRank * query : hidden * query
      const keys = hidden * (kvRank + ropeDim) + kvRank * heads * (plainDim + valueDim)
      return { matrix: queries + keys + heads * valueDim * hidden, other: queryRank + kvRank }
    }
    case 'delta': {
      const { keyHeads, valueHeads, keyDim, valueDim, kernel } = attention
      const key = keyHeads * keyDim
      const value = valueHeads * valueDim
      const inputs = hidden * (2 * key + 2 * value + 2 * valueHeads) + kernel * (2 * key + value)
      return { matrix: inputs + value * hidden, other: 2 * valueHeads + valueDim }
    }
  }
}

/** Weights of one expert or dense block of `width`. */
function blockWeights(hidden: number, width: number, gated: boolean): number {
  return (gated ? 3 : 2) * hidden * width
}

/** Weights of a feed-forward block that every token passes, and of the routed experts (all, and those of one token). */
export type FeedForwardWeights = { readonly shared: number; readonly routed: number; readonly routedActive: number }

/** Weights of a feed-forward block on a width of `hidden`. */
export function feedForwardWeights(block: FeedForward, hidden: number): FeedForwardWeights {
  if (block.kind === 'dense')
    return { shared: blockWeights(hidden, block.width, block.gated), routed: 0, routedActive: 0 }
  const expert = blockWeights(hidden, block.width, true)
  const shared = block.sharedWidth > 0 ? blockWeights(hidden, block.sharedWidth, true) : 0
  const router = hidden * block.experts + (block.sharedGate ? hidden : 0)
  return { shared: shared + router, routed: block.experts * expert, routedActive: block.active * expert }
}

/** Weights of a layer: `dense` is held by tensor-parallel members, `routed` by expert-parallel ones. */
export type LayerWeights = {
  readonly dense: number
  readonly routed: number
  /** Of one token: those that take part in its matrix products, without norms and biases. */
  readonly activeMatrix: number
  readonly active: number
}

/** Weights of one text layer, norms and biases included. */
export function layerWeights(layer: Layer, hidden: number): LayerWeights {
  const attention = attentionWeights(layer.attention, hidden)
  const block = feedForwardWeights(layer.feedForward, hidden)
  const other = attention.other + 2 * hidden
  const activeMatrix = attention.matrix + block.shared + block.routedActive
  return {
    dense: attention.matrix + block.shared + other,
    routed: block.routed,
    activeMatrix,
    active: activeMatrix + other
  }
}

/** Weights of one extra prediction layer: a last layer plus the projection that joins two hidden states. */
export function predictionWeights(text: TextModel): LayerWeights {
  const last = layerWeights(text.layers[text.layers.length - 1], text.hidden)
  const joint = 2 * text.hidden * text.hidden
  const norms = 3 * text.hidden
  return {
    ...last,
    dense: last.dense + joint + norms,
    activeMatrix: last.activeMatrix + joint,
    active: last.active + joint + norms
  }
}

/** Parameters of a text tower; `total` and `active` leave the extra prediction layers (`predictions`) out. */
export type TextParameters = {
  readonly total: number
  readonly active: number
  readonly embedding: number
  readonly head: number
  readonly predictions: number
}

/** Parameters of a text tower. */
export function textParameters(text: TextModel): TextParameters {
  const layers = text.layers.map(layer => layerWeights(layer, text.hidden))
  const embedding = text.vocabulary * text.hidden
  const head = text.tied ? 0 : embedding
  const ends = embedding + head + text.hidden
  const prediction = predictionWeights(text)
  return {
    total: sum(layers.map(one => one.dense + one.routed)) + ends,
    active: sum(layers.map(one => one.active)) + ends,
    embedding,
    head,
    predictions: text.predictions * (prediction.dense + prediction.routed)
  }
}

/** Matrix weights of one vision layer, of the patch embedding, and of the projectors. */
export function visionMatrices(vision: VisionModel) {
  const { hidden, width, gated, channels, temporal, patch, projector } = vision
  return {
    layer: 4 * hidden * hidden + blockWeights(hidden, width, gated),
    embedding: channels * temporal * patch * patch * hidden,
    projector: projector.copies * (projector.input * projector.inner + projector.inner * projector.output)
  }
}

/** Parameters of the vision tower and of its projectors. */
export function visionParameters(vision: VisionModel): { readonly tower: number; readonly projector: number } {
  const { hidden, width, gated, depth, scaleNorm, positions, projector } = vision
  const matrices = visionMatrices(vision)
  const norm = scaleNorm ? hidden : 2 * hidden
  const layerOther = 4 * hidden + (gated ? 2 * width : width) + hidden + 2 * norm
  const projectorOther = projector.copies * (norm + projector.inner + projector.output)
  return {
    tower: depth * (matrices.layer + layerOther) + matrices.embedding + positions * hidden,
    projector: matrices.projector + projectorOther
  }
}
