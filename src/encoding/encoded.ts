import type { Tick } from '../schedule/measured.ts'
import type { EventId, Schedule, Sequences } from '../schedule/problem.ts'
import type { Analysis } from './analysis.ts'
import type { Model } from './model/types.ts'

/** Beyond this horizon (in units) floating-point solvers err by whole units, so their bounds are no evidence. */
const LARGEST_MILP_HORIZON = 100_000

/**
 * A model with the way back from its values, and often the way there from a schedule. Only the order is taken from a point:
 * the caller times it again in integers.
 */
export type Encoded<M extends Model = Model> = {
  readonly model: M
  /**
   * Whether the model's optimum is the problem's. If not it is a relaxation: its bound holds, and its points are orders
   * that may break memory.
   */
  readonly exact: boolean
  /** Ticks per unit of the model's time. */
  readonly unit: Tick
  /** A solver's claimed bound (model units) as whole ticks, rounded up; undefined where the scale makes it no evidence. */
  readonly boundTicks: (claimed: number) => Tick | undefined
  readonly decode: (values: ArrayLike<number>) => Sequences
  /**
   * The values (one per variable) of a legal schedule that ends by the horizon, or of an equal one that the model has in its
   * place (alike tasks and microbatches trade names). Undefined where it has none. Those of any other schedule may break it.
   */
  readonly valuesOf?: (schedule: Schedule) => Float64Array | undefined
  /** Start of every event in ticks, for encodings whose points are timed: memory can demand bubbles that an order does not show. */
  readonly starts?: (values: ArrayLike<number>) => Float64Array
  /** Start of every edge's transfer in ticks (NaN where none takes place), for encodings that place transfers. */
  readonly transferStarts?: (values: ArrayLike<number>) => Float64Array
}

/** Rounds a claimed bound up to whole units, forgiving the last few digits, and turns it into ticks. */
export function boundTicksOf({
  unit,
  horizon
}: Pick<Analysis, 'unit' | 'horizon'>): (claimed: number) => Tick | undefined {
  return claimed =>
    horizon > LARGEST_MILP_HORIZON || !Number.isFinite(claimed) ? undefined : Math.ceil(claimed - 1e-4) * unit
}

/** Per rank the events in order of time: by start, then end (zero length first), then what must precede. */
export function sequencesByTime(
  analysis: Analysis,
  rankOf: (event: EventId) => number,
  start: ArrayLike<number>
): Sequences {
  const ranks: EventId[][] = Array.from({ length: analysis.problem.ranks }, () => [])
  for (const event of analysis.problem.events) if (event.occupies) ranks[rankOf(event.id)].push(event.id)
  return ranks.map((events, rank) =>
    events.sort(
      (a, b) =>
        start[a] - start[b] ||
        analysis.duration(a, rank) - analysis.duration(b, rank) ||
        analysis.rankInTopology[a] - analysis.rankInTopology[b]
    )
  )
}
