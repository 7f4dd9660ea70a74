import type { StageMap } from '../algebra/placement.ts'
import type { EncoderBackward, Skeleton } from '../algebra/types.ts'

/** Integer time; one tick is the instance's unit divided by `ticksPerUnit`. */
export type Tick = number
/** Integer bytes. */
export type Byte = number

/** Backward durations per microbatch (M entries each); a split one may run its input and weight parts apart. */
export type BackwardCost =
  | { readonly kind: 'full'; readonly full: readonly Tick[] }
  | {
      readonly kind: 'split'
      readonly input: readonly Tick[]
      readonly weight: readonly Tick[]
      readonly weightShare: number
    }

/** One slab of layers with its costs. `origin` names the region of the instance that it came from. */
export type Slab = {
  readonly origin: string
  readonly trainable: boolean
  readonly forward: readonly Tick[]
  readonly backward: BackwardCost
  readonly activation: Byte
  /** Per microbatch, whether the slab holds its activation; absent: always. False where a fused encoder has no work. */
  readonly holds?: readonly boolean[]
  readonly parameters: Byte
  /** Bytes that leave the slab; read for the last slab of a source region only. */
  readonly output: Byte
}

/** A stage runs its parts (slabs, depth order) as one event. Most stages have one part; fused and transposed ones several. */
export type Stage = readonly Slab[]

/** A region with its skeleton; a transposed region has exactly one stage, with all its slabs as parts. */
export type MeasuredRegion = { readonly name: string; readonly skeleton: Skeleton; readonly stages: readonly Stage[] }

export type CommunicationModel = 'latency' | 'link' | 'blocking'

/** Transfer lags between different ranks, the replica broadcast, and the reduction per origin region. */
export type Communication = {
  readonly model: CommunicationModel
  readonly send: Tick
  readonly gather: Tick
  readonly scatter: Tick
  readonly broadcast: Tick
  /** Ticks of the weight-gradient reduction by origin region; absent means 0. */
  readonly reduce: ReadonlyMap<string, Tick>
}

/**
 * Ticks of an overlapped pair of a forward and a backward, where they are not F + B: a share of F + B in millionths, or
 * the same for every pair. Never less than the longer of the two.
 */
export type OverlapRule =
  | { readonly kind: 'factor'; readonly perMillion: number }
  | { readonly kind: 'fixed'; readonly ticks: Tick }

/**
 * A measured instance in ticks and bytes, in normal form: what the instance room makes of a document, and what the
 * event graph, the checker and the families are built from. P = ranks, M = microbatches.
 */
export type Measured = {
  readonly name: string
  readonly hash: string
  readonly unit: string
  readonly ticksPerUnit: number
  readonly ranks: number
  readonly microbatches: number
  readonly regions: readonly MeasuredRegion[]
  readonly communication: Communication
  /** Bytes per rank; `undefined` is unlimited (P entries). */
  readonly capacity: readonly (Byte | undefined)[]
  readonly reserved: readonly Byte[]
  readonly encoderBackward: EncoderBackward
  /** What an overlapped pair takes; absent, F + B. */
  readonly overlap?: OverlapRule
  /** Microbatches per round of the interleaved families; absent, as near P as M allows. */
  readonly roundSize?: number
  /** Chunks that every encoder task of a transposed source is cut into; absent, 1. */
  readonly chunks?: number
  /** Relative sizes of the encoder tasks of each microbatch (M entries); absent, one task each. */
  readonly items?: readonly (readonly number[])[]
  /** Where Sharded stages sit; absent, stage s is on rank s mod P. */
  readonly stageMap?: StageMap
  /** Slabs that ranks 1..P-1 take in the family `dedicated`, where the instance states them. */
  readonly dedicated?: readonly Slab[]
  /** Backbone slabs of the best cut for a source fused into stage 0 (P), and for one on rank 0 alone (P-1). */
  readonly inlineBest?: readonly Slab[]
  readonly dedicatedBest?: readonly Slab[]
}
