/**
 * The values of the schedule algebra (paper section 3): regions of a cut, one skeleton each, and what `derive` reads of
 * the model. No durations and no bytes here.
 */

/**
 * Order pattern of one region. The paper's three, and its extensions: `wave` (fold), `zb-h1` (event split), `zbv` (fold
 * and split), `dualpipev` (fold, split and a fused forward-backward node) and `dualpipe` (the same with two copies of the
 * model, which need a bidirectional feed as a second input of derive).
 */
export type Skeleton = '1f1b' | 'gpipe' | 'transpose' | 'wave' | 'zb-h1' | 'zbv' | 'dualpipev' | 'dualpipe'

/** What a skeleton says of its region, its order apart. The paper's skeletons are those that neither fold nor split. */
export type Traits = {
  readonly layout: Layout
  /** Slabs are dealt round the ranks (`loop`), every other pass runs backwards (`fold`), or there are two copies (`feed`). */
  readonly map: 'loop' | 'fold' | 'feed'
  /** Whether the backward is one event, or an input and a weight part. */
  readonly backward: 'whole' | 'split'
}

const SHARDED = { layout: 'Sharded', map: 'loop', backward: 'whole' } as const

const TRAITS: Readonly<Record<Skeleton, Traits>> = {
  '1f1b': SHARDED,
  gpipe: SHARDED,
  transpose: { ...SHARDED, layout: 'Replicated' },
  wave: { ...SHARDED, map: 'fold' },
  'zb-h1': { ...SHARDED, backward: 'split' },
  zbv: { ...SHARDED, map: 'fold', backward: 'split' },
  dualpipev: { ...SHARDED, map: 'fold', backward: 'split' },
  dualpipe: { ...SHARDED, map: 'feed', backward: 'split' }
}

/** Every skeleton, the paper's first. */
export const SKELETONS = Object.keys(TRAITS) as readonly Skeleton[]

/** Traits of a skeleton. */
export function traitsOf(skeleton: Skeleton): Traits {
  return TRAITS[skeleton]
}

/** Whether a skeleton is one of the paper's three. */
export function isPlain(skeleton: Skeleton): boolean {
  const { map, backward } = TRAITS[skeleton]
  return map === 'loop' && backward === 'whole'
}

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

/**
 * ByLayer owners where stages are not dealt round (fold, bidirectional feed): per copy of the model its stage -> rank map,
 * and the copy that each microbatch runs on (M entries).
 */
export type StageMap = { readonly copies: readonly (readonly number[])[]; readonly copyOf: readonly number[] }

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
  /** Regions that feed each region; absent: each region feeds the next one. */
  readonly inputs?: Inputs
  /** With several sources: per source region and microbatch, whether it has work; absent: `sourceWork` for region 0. */
  readonly work?: ReadonlyMap<number, readonly boolean[]>
}

/** Per region the regions that feed it, in order; regions come after what feeds them. */
export type Inputs = readonly (readonly number[])[]

/** The inputs of a chain: each region is fed by the one before it. */
export function chainInputs(regions: readonly unknown[]): Inputs {
  return regions.map((_, index) => (index === 0 ? [] : [index - 1]))
}

export type Collective = 'Gather' | 'Scatter' | 'Send' | 'RecvGrad'

/** Layout of a skeleton (paper section 3.2). */
export function layoutOf(skeleton: Skeleton): Layout {
  return TRAITS[skeleton].layout
}

/** The parts of a region in depth order. */
export function partsOf(region: RegionShape): readonly PartShape[] {
  return region.stages.flat()
}

/** A region is trainable iff any of its parts is. */
export function isTrainable(region: RegionShape): boolean {
  return partsOf(region).some(part => part.trainable)
}
