import type { Measured } from './measured.ts'
import type { Problem, Sequences } from './problem.ts'

/** What a family makes of an instance: an order of its own (perhaps transformed) problem, or why its rule does not fit. */
export type FamilyOrder =
  | {
      readonly kind: 'order'
      readonly measured: Measured
      readonly problem: Problem
      readonly sequences: Sequences
      /** Choices of the rule that its result does not show, in words. */
      readonly notes?: readonly string[]
    }
  | { readonly kind: 'not-applicable'; readonly reason: string }

/** A named rule that gives one order per instance without a solver. */
export type Family = {
  /** Id of the contract, e.g. `transpose-full`. */
  readonly id: string
  /** One line for people. */
  readonly title: string
  /** Where the rule comes from. */
  readonly source: string
  readonly apply: (measured: Measured) => FamilyOrder
}
