import { sum } from '../base/arrays.ts'
import type { Attention, Layer, TextModel, VisionModel } from './architecture.ts'
import { layerWeights, predictionWeights, visionMatrices } from './parameters.ts'

/** Forward FLOPs of a layer: `linear` per token, `pair` per (token, key) that attention looks at. */
export type LayerFlops = { readonly linear: number; readonly pair: number }

/** Forward FLOPs of one text layer; a multiply-add counts 2. */
export function layerFlops(layer: Layer, hidden: number): LayerFlops {
  return {
    linear: 2 * layerWeights(layer, hidden).activeMatrix + stateFlops(layer.attention),
    pair: pairFlops(layer.attention)
  }
}

/** FLOPs of attention per token and key that it sees: scores and weighted values. */
export function pairFlops(attention: Attention): number {
  switch (attention.kind) {
    case 'softmax':
      return 4 * attention.heads * attention.headDim
    case 'latent':
      return 2 * attention.heads * (attention.plainDim + attention.ropeDim + attention.valueDim)
    case 'delta':
      return 0
  }
}

/** Update and read of the delta-net's state, per token (Megatron's count: 4 per state entry, doubled for multiply-add). */
function stateFlops(attention: Attention): number {
  return attention.kind === 'delta' ? 8 * attention.valueHeads * attention.keyDim * attention.valueDim : 0
}

/** Tokens of one microbatch on the backbone, and the sum over its sequences of length squared. */
export type TokenLoad = { readonly tokens: number; readonly squares: number }

/** A microbatch of `count` sequences that are each one document of `length` tokens. */
export function wholeSequences(count: number, length: number): TokenLoad {
  return { tokens: count * length, squares: count * length * length }
}

/** Forward FLOPs of one layer on a load; causal attention looks at half of all pairs. */
export function layerForward(layer: Layer, hidden: number, load: TokenLoad): number {
  const { linear, pair } = layerFlops(layer, hidden)
  return linear * load.tokens + (pair * load.squares) / 2
}

/** Forward FLOPs of the head on a load. */
export function headForward(text: TextModel, load: TokenLoad): number {
  return 2 * text.vocabulary * text.hidden * load.tokens
}

/** Forward FLOPs of one extra prediction layer with its own logits. */
export function predictionForward(text: TextModel, load: TokenLoad): number {
  const last = text.layers[text.layers.length - 1]
  const { activeMatrix } = predictionWeights(text)
  const core = stateFlops(last.attention) * load.tokens + (pairFlops(last.attention) * load.squares) / 2
  return 2 * activeMatrix * load.tokens + core + headForward(text, load)
}

/** Forward FLOPs per token of a text tower in sequences of `length`, head included, extra predictions left out. */
export function textFlopsPerToken(text: TextModel, length: number): number {
  const load = wholeSequences(1, length)
  return (sum(text.layers.map(layer => layerForward(layer, text.hidden, load))) + headForward(text, load)) / length
}

/** Forward FLOPs of a vision tower per patch (linear part, projector included) and per pair of patches and layer. */
export function visionFlops(vision: VisionModel): {
  readonly tower: number
  readonly projector: number
  readonly pair: number
} {
  const matrices = visionMatrices(vision)
  return {
    tower: 2 * (vision.depth * matrices.layer + matrices.embedding),
    projector: (2 * matrices.projector) / (vision.merge * vision.merge),
    pair: 4 * vision.hidden
  }
}

/** Forward FLOPs of the tower and of the projector for images of the given numbers of patches. */
export function visionForward(vision: VisionModel, images: readonly number[]) {
  const { tower, projector, pair } = visionFlops(vision)
  const full = vision.window ? vision.window.fullLayers : vision.depth
  const seen = vision.window?.patches ?? Number.POSITIVE_INFINITY
  const pairs = sum(
    images.map(patches => full * patches * patches + (vision.depth - full) * patches * Math.min(patches, seen))
  )
  const patches = sum(images)
  return { tower: tower * patches + pair * pairs, projector: projector * patches }
}
