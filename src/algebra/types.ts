/**
 * The values of the schedule algebra (paper section 3): regions of a cut, one skeleton each, and what `derive` reads of
 * the model. No durations and no bytes here.
 */

import type { StageMap } from './placement.ts'

/** Order pattern of one region. */
export type Skeleton = '1f1b' | 'gpipe' | 'transpose'

/** Replicated: the region sits whole on every rank. Sharded: its slabs are spread over the ranks. */
export type Layout = 'Replicated' | 'Sharded'

/** Who runs the backward of a transposed encoder: its owner, or the first stage's rank, which recomputes. */
export type EncoderBackward = 'owner' | 'first-rank'

/**
 * What one slab contributes to the algebra: only whether its parameters are trained. A stage of a fused or merged
 * region has several parts in depth order.
 */
export type PartShape = { readonly trainable: boolean }

/** A region of the cut. `stages[s]` lists the parts of its slab s; a Replicated region has exactly one stage. */
export type RegionShape = {
  readonly name: string
  readonly skeleton: Skeleton
  readonly stages: readonly (readonly PartShape[])[]
}

/** All that `derive` reads: P ranks, M microbatches, the regions, and which microbatches the source region has work for. */
export type Shape = {
  readonly ranks: number
  readonly microbatches: number
  readonly regions: readonly RegionShape[]
  /** Per microbatch: whether the source region has work for it (M entries). */
  readonly sourceWork: readonly boolean[]
  readonly encoderBackward: EncoderBackward
  /** Where Sharded stages sit; absent, stage s is on rank s mod P. */
  readonly stageMap?: StageMap | undefined
}

export type Collective = 'Gather' | 'Scatter' | 'Send' | 'RecvGrad'

/** Layout of a skeleton (paper section 3.2). */
export function layoutOf(skeleton: Skeleton): Layout {
  return skeleton === 'transpose' ? 'Replicated' : 'Sharded'
}

/** The parts of a region in depth order. */
export function partsOf(region: RegionShape): readonly PartShape[] {
  return region.stages.flat()
}

/** A region is trainable iff any of its parts is. */
export function isTrainable(region: RegionShape): boolean {
  return partsOf(region).some(part => part.trainable)
}
