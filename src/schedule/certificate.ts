import type { Tick } from './measured.ts'
import type { EventId } from './problem.ts'

/** A solver with the version that gave an answer. */
export type Engine = { readonly name: string; readonly version: string }

/** One summand of a bound: what it is, its ticks, and the events that it speaks of. */
export type BoundTerm = { readonly label: string; readonly ticks: Tick; readonly events: readonly EventId[] }

/** A named combinatorial bound: `ticks` is at most every legal makespan of the space it was computed for. */
export type Bound = {
  readonly kind: 'bound'
  readonly name: string
  readonly ticks: Tick
  readonly terms: readonly BoundTerm[]
}

/** Why no legal schedule is shorter than a bound, in a form that a reader can check again. */
export type Evidence =
  | Bound
  | {
      readonly kind: 'smt-unsat'
      readonly at: Tick
      readonly textHash: string
      readonly text: string
      readonly engines: readonly Engine[]
    }
  | {
      readonly kind: 'solver-bound'
      readonly engine: Engine
      readonly options: string
      readonly modelHash: string
      readonly bound: Tick
      /** Ticks per grid step of the solver's model; 1 when it saw the exact ticks. */
      readonly grid: number
      readonly confirmedBy: readonly Evidence[]
    }

/** A lower bound on the makespan of every legal schedule of one problem, with what supports it. */
export type Certificate = {
  readonly instance: string
  readonly problem: 'owner' | 'placement' | 'reorder' | 'joint'
  readonly lowerBound: Tick
  readonly evidence: readonly Evidence[]
}
