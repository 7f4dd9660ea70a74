/** Softmax attention with grouped keys (heads = kvHeads is plain multi-head). `gated`: a sigmoid gate on the output. */
export type SoftmaxAttention = {
  readonly kind: 'softmax'
  readonly heads: number
  readonly kvHeads: number
  readonly headDim: number
  readonly gated: boolean
  readonly bias: boolean
  /** Norms on queries and keys. */
  readonly normed: boolean
}

/** Multi-head latent attention; `queryRank` 0 means that queries are not compressed. */
export type LatentAttention = {
  readonly kind: 'latent'
  readonly heads: number
  readonly queryRank: number
  readonly kvRank: number
  readonly plainDim: number
  readonly ropeDim: number
  readonly valueDim: number
}

/** Gated delta-net: linear attention with a state of keyDim x valueDim per value head. */
export type DeltaAttention = {
  readonly kind: 'delta'
  readonly keyHeads: number
  readonly valueHeads: number
  readonly keyDim: number
  readonly valueDim: number
  readonly kernel: number
}

export type Attention = SoftmaxAttention | LatentAttention | DeltaAttention

export type DenseFeedForward = { readonly kind: 'dense'; readonly width: number; readonly gated: boolean }

/** Routed experts; `active` of `experts` per token, plus a shared part of `sharedWidth` (0: none). */
export type ExpertFeedForward = {
  readonly kind: 'experts'
  readonly experts: number
  readonly active: number
  readonly width: number
  readonly sharedWidth: number
  readonly sharedGate: boolean
}

export type FeedForward = DenseFeedForward | ExpertFeedForward

/** One transformer layer of a text tower. */
export type Layer = { readonly attention: Attention; readonly feedForward: FeedForward }

/** A text tower: embedding, layers in order, head. `predictions` counts extra multi-token-prediction layers. */
export type TextModel = {
  readonly name: string
  readonly hidden: number
  readonly vocabulary: number
  readonly tied: boolean
  readonly layers: readonly Layer[]
  readonly predictions: number
}

/** Two-layer projector from the vision width (after merging) into the text width; `inner` is its hidden width. */
export type Projector = {
  readonly input: number
  readonly inner: number
  readonly output: number
  /** Further projectors of the same shape (deepstack). */
  readonly copies: number
}

/** Windowed attention: all layers but `fullLayers` see `patches` neighbours at most. */
export type Window = { readonly patches: number; readonly fullLayers: number }

/** How images become patches: native resolution, or square tiles with an optional thumbnail. */
export type Resolution =
  | { readonly kind: 'native'; readonly minPixels: number; readonly maxPixels: number }
  | { readonly kind: 'tiles'; readonly side: number; readonly maxTiles: number; readonly thumbnail: boolean }

/** A vision tower with its projector. `merge` x `merge` patches become one text token. */
export type VisionModel = {
  readonly name: string
  readonly depth: number
  readonly hidden: number
  readonly width: number
  readonly heads: number
  readonly gated: boolean
  /** Scale-only norms (RMSNorm) instead of scale and shift. */
  readonly scaleNorm: boolean
  readonly patch: number
  /** Frames per patch in time; images repeat their frame. */
  readonly temporal: number
  readonly channels: number
  readonly merge: number
  /** Learned position embeddings (0: rotary only). */
  readonly positions: number
  readonly window?: Window
  readonly resolution: Resolution
  readonly projector: Projector
}

/** What an importer makes of a config: either tower may be missing. */
export type Architecture = { readonly name: string; readonly text?: TextModel; readonly vision?: VisionModel }
