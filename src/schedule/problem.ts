import type { Byte, CommunicationModel, Tick } from './measured.ts'

/** Dense index of an event in its problem. */
export type EventId = number
/** Dense index of an edge in its problem. */
export type EdgeId = number

/**
 * F forward, B full backward, I backward-input, W backward-weight of a stage; E and EB the forward and backward of a
 * transposed (Replicated) region; Broadcast and Reduce occupy no compute.
 */
export type Kind = 'F' | 'B' | 'I' | 'W' | 'E' | 'EB' | 'Broadcast' | 'Reduce'

/** What an event is, never where it was put. Fields that do not apply are -1. */
export type EventKey = {
  readonly kind: Kind
  readonly region: number
  readonly stage: number
  readonly microbatch: number
  /** Image of the microbatch, where one microbatch has several encoder tasks. */
  readonly item: number
  /** Layer group of an encoder task, where it is cut into chunks. */
  readonly chunk: number
  /** Which copy, where a stage is duplicated (bidirectional feed). */
  readonly replica: number
}

/** One way to run an event: on which rank, for how long, and not before which tick. */
export type Mode = { readonly rank: number; readonly duration: Tick; readonly release: Tick }

export type Event = {
  readonly id: EventId
  readonly key: EventKey
  /** At least one. E of a transposed source has one per rank; everything that a placement fixes has exactly one. */
  readonly modes: readonly Mode[]
  /** Whether it needs its rank's compute for itself. */
  readonly occupies: boolean
}

export type Channel = 'send' | 'recvGrad' | 'gather' | 'scatter' | 'handoff'

/** `to` starts at or after the end of `from` plus the lag of their ranks; `lag` -1 means none whatever the ranks. */
export type Edge = {
  readonly id: EdgeId
  readonly from: EventId
  readonly to: EventId
  readonly type: 'activation' | 'gradient' | 'turnaround' | 'accumulate' | 'sequence'
  readonly channel?: Channel
  readonly bytes: Byte
  readonly lag: number
  /** The event whose data it carries, where an overlapped pair hands it on; else `from`. */
  readonly sender?: EventId
}

/** Ticks from rank r to rank q at r*P + q; 0 on the diagonal. */
export type LagTable = Float64Array

/** A moment of a schedule: an event's start or end, plus the lag of `arrival`'s edge where given. */
export type Point = { readonly event: EventId; readonly at: 'start' | 'end'; readonly arrival?: EdgeId }

/** Bytes held on a rank over the half-open interval [from, until). */
export type Hold = {
  readonly where: { readonly rankOf: EventId } | { readonly rank: number }
  readonly bytes: Byte
  readonly from: Point
  readonly until: Point
}

/** Events that must run on one rank: EB with its E, chunks of one item. */
export type Tie = { readonly same: 'rank'; readonly events: readonly EventId[] }

/**
 * A forward and a backward of one rank that run overlapped as one of the given length. Their modes state that length;
 * `alone` says what each takes by itself.
 */
export type Fused = {
  readonly first: EventId
  readonly second: EventId
  readonly duration: Tick
  readonly alone: readonly [first: Tick, second: Tick]
}

export type RegionInfo = {
  readonly name: string
  readonly layout: 'Replicated' | 'Sharded'
  readonly skeleton: string
  readonly trainable: boolean
  /** Regions that feed it; several for parallel sources. */
  readonly inputs: readonly number[]
}

/**
 * The event graph of one instance with durations, lags and memory holds. Ids are dense; everything is structured-clone
 * data. Which orders are searched is not part of it: that is a `Space`.
 */
export type Problem = {
  readonly ranks: number
  readonly microbatches: number
  readonly unit: string
  readonly ticksPerUnit: number
  readonly hash: string
  readonly regions: readonly RegionInfo[]
  readonly events: readonly Event[]
  readonly edges: readonly Edge[]
  readonly lags: readonly LagTable[]
  readonly holds: readonly Hold[]
  readonly ties: readonly Tie[]
  /** Pairs that orders of this problem run overlapped (`overlap.ts`); none in what solvers search. */
  readonly fusable: readonly Fused[]
  readonly capacity: readonly (Byte | undefined)[]
  /** Bytes that a rank holds always: reserved + parameters, replicas counted on every rank. */
  readonly fixed: readonly Byte[]
  /** How transfers take part (docs/decisions/0002-communication-models.md). */
  readonly communication: CommunicationModel
  /** Groups of microbatches that are alike in every duration, for symmetry breaking. */
  readonly symmetric: readonly (readonly number[])[]
}

/** Compute order: per rank, the occupying events it runs, first to last. Where an E or EB stands is where it runs. */
export type Sequences = readonly (readonly EventId[])[]

/** One entry of an order that may list transfers and overlaps. */
export type Item =
  | { readonly run: EventId }
  | { readonly fused: readonly [EventId, EventId] }
  | { readonly send: EdgeId }
  | { readonly recv: EdgeId }
  | { readonly batch: readonly Item[] }

/** An order as a runtime sees it, with the transport whose rules it is to be judged by. */
export type Order = {
  readonly ranks: readonly (readonly Item[])[]
  readonly transport: 'buffered' | 'rendezvous' | 'batched'
}

/**
 * A timed order: rank and start of every event (by id) and the makespan, the latest end of anything. `transferStart` gives
 * the start of every edge's transfer (by id; NaN where none takes place) under the models in which transfers queue;
 * absent, each starts when its producer ends.
 */
export type Schedule = {
  readonly sequences: Sequences
  readonly rankOf: Int32Array
  readonly start: Float64Array
  readonly transferStart?: Float64Array
  readonly makespan: Tick
}

/** Which orders a problem searches. `body` lists per rank the stage events whose order is fixed. */
export type Space =
  | { readonly problem: 'owner'; readonly objective: 'makespan' | 'spill' }
  | { readonly problem: 'placement'; readonly body: Sequences }
  | { readonly problem: 'reorder'; readonly body: Sequences }
  | { readonly problem: 'joint'; readonly split: boolean }
