import type { Attention, FeedForward, Layer, TextModel, VisionModel } from './architecture.ts'

/** What is kept between forward and backward. `full`: only a layer's input; `selective`: all but the attention scores. */
export type Recompute = 'none' | 'selective' | 'full'

/** How activations are kept: `flash` attention never keeps scores. */
export type ActivationRule = { readonly recompute: Recompute; readonly flash: boolean }

/** Bytes per token that tensor parallelism divides always (`inner`) and only with sequence parallelism (`outer`). */
type PerToken = { readonly inner: number; readonly outer: number }

/** Two bytes per kept value, one per dropout mask (Korthikanti et al., arXiv 2205.05198: 11h of attention for MHA). */
function attentionBytes(attention: Attention, hidden: number): PerToken {
  const outer = 3 * hidden // input 2h and the mask behind the output projection
  switch (attention.kind) {
    case 'softmax': {
      const query = attention.heads * attention.headDim
      const key = attention.kvHeads * attention.headDim
      return { inner: 2 * (query + 2 * key) + 2 * query + (attention.gated ? 2 * query : 0), outer }
    }
    case 'latent': {
      const { heads, queryRank, kvRank, plainDim, ropeDim, valueDim } = attention
      const compressed = 2 * (queryRank + kvRank + ropeDim)
      return { inner: 2 * heads * (2 * (plainDim + ropeDim) + 2 * valueDim), outer: outer + compressed }
    }
    case 'delta': {
      const { keyHeads, valueHeads, keyDim, valueDim } = attention
      const mixed = 2 * keyHeads * keyDim + valueHeads * valueDim
      return { inner: 4 * mixed + 4 * valueHeads * valueDim + 4 * valueHeads, outer }
    }
  }
}

/** Kept per token inside a block of `width`: input and output of a GELU, or gate, value and their product. */
function blockBytes(width: number, gated: boolean): number {
  return (gated ? 6 : 4) * width
}

function feedForwardBytes(block: FeedForward, hidden: number): PerToken {
  const outer = 3 * hidden
  if (block.kind === 'dense') return { inner: blockBytes(block.width, block.gated), outer }
  const shared = block.sharedWidth > 0 ? blockBytes(block.sharedWidth, true) : 0
  const routed = block.active * (blockBytes(block.width, true) + 4 * hidden)
  // Routed tokens are already spread over the tensor-parallel members by sequence parallelism, like `outer`.
  return { inner: shared, outer: outer + routed + 4 * block.experts }
}

/** How one microbatch's tokens are spread: tensor parallel with or without sequence parallelism, context parallel. */
export type Spread = {
  readonly tensor: number
  readonly sequenceParallel: boolean
  readonly context: number
}

/**
 * Bytes that one layer keeps per device for a load of `tokens` in sequences of `length`. With plain attention, GELU
 * blocks of 4h and no flash this is sbh(34 + 5as/h) of Korthikanti et al., and sbh(18 + 4 ffn/h) of Megatron without scores.
 */
export function layerActivationBytes(
  layer: Layer,
  hidden: number,
  tokens: number,
  length: number,
  spread: Spread,
  rule: ActivationRule
): number {
  const local = tokens / spread.context
  const outerShare = spread.sequenceParallel ? spread.tensor : 1
  if (rule.recompute === 'full') return (2 * hidden * local) / outerShare
  const attention = attentionBytes(layer.attention, hidden)
  const block = feedForwardBytes(layer.feedForward, hidden)
  const norms = 4 * hidden
  const outer = (attention.outer + block.outer + norms) / outerShare
  const inner = (attention.inner + block.inner) / spread.tensor
  return local * (outer + inner) + scoreBytes(layer.attention, local, length, spread, rule)
}

/** 5as per token: scores, their softmax and its mask; kept only without flash and without recomputation. */
function scoreBytes(attention: Attention, tokens: number, length: number, spread: Spread, rule: ActivationRule) {
  if (rule.flash || rule.recompute !== 'none' || attention.kind === 'delta') return 0
  return (5 * attention.heads * length * tokens) / spread.tensor
}

/** Bytes that a whole vision tower and projector keep per device for `patches` spread over `share` devices. */
export function visionActivationBytes(
  vision: VisionModel,
  patches: number,
  share: number,
  rule: ActivationRule
): number {
  const { hidden, width, gated, depth, merge, projector } = vision
  const perLayer =
    rule.recompute === 'full' ? 2 * hidden : 8 * hidden + 6 * hidden + 4 * hidden + blockBytes(width, gated)
  const tower = patches * (depth * perLayer + 2 * hidden)
  const merged = patches / (merge * merge)
  const projected = merged * projector.copies * (2 * projector.input + 4 * projector.inner + 2 * projector.output)
  return (tower + projected) / share
}

/** Bytes of the head's logits and their softmax per device (Megatron: 4sbh(1 + V/h)). */
export function headActivationBytes(text: TextModel, tokens: number, spread: Spread): number {
  return (4 * tokens * (text.hidden + text.vocabulary)) / (spread.tensor * spread.context)
}

/** Bytes that the embedding keeps: token ids and the mask behind it (Megatron: 8sb + sbh). */
export function embeddingActivationBytes(text: TextModel, tokens: number, spread: Spread): number {
  return ((8 + text.hidden) * tokens) / (spread.context * (spread.sequenceParallel ? spread.tensor : 1))
}
