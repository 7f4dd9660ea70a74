/** Index of a variable in its model. */
export type Variable = number

/** `coefficient * variable`. */
export type Term = readonly [variable: Variable, coefficient: number]

/** Bounds are inclusive and finite for integers: an unbounded integer makes some solvers run for ever. */
export type MilpVariable = { readonly lower: number; readonly upper: number; readonly integer: boolean }

/** lower <= sum of terms <= upper; at least one side is given. A variable occurs once. */
export type MilpRow = { readonly terms: readonly Term[]; readonly lower?: number; readonly upper?: number }

/** Mixed-integer linear model, minimised. Variables have no names: backends call them x0, x1, ... */
export type Milp = {
  readonly kind: 'milp'
  readonly variables: readonly MilpVariable[]
  readonly rows: readonly MilpRow[]
  readonly objective: readonly Term[]
}

/** x - y >= atLeast over integer variables; -1 stands for the constant 0. Its negation is y - x >= 1 - atLeast. */
export type Difference = { readonly x: Variable; readonly y: Variable; readonly atLeast: number }

/** A Boolean variable or its negation, or a difference. */
export type Literal = { readonly bool: Variable; readonly value: boolean } | Difference

/** At least one literal holds. */
export type Clause = readonly Literal[]

/** sum of coefficient over the Boolean variables that hold <= atMost; coefficients are at least 0. */
export type BoolSum = { readonly terms: readonly Term[]; readonly atMost: number }

/** A decision model over integers and Booleans, in difference logic plus Boolean sums. Values: integers, then Booleans. */
export type Smt = {
  readonly kind: 'smt'
  readonly ints: readonly { readonly lower: number; readonly upper: number }[]
  readonly numBools: number
  readonly clauses: readonly Clause[]
  readonly sums: readonly BoolSum[]
}

/** A 0-1 variable that must equal `value`. */
export type CpLiteral = { readonly variable: Variable; readonly value: boolean }

/**
 * start + size == end, enforced where present; absent `presence` means always present. A size is a number, or a variable
 * where the interval may last as long as it needs.
 */
export type CpInterval = {
  readonly start: Variable
  readonly end: Variable
  readonly size: number | { readonly variable: Variable }
  readonly presence?: CpLiteral
}

/** One constraint. `interval` fields are indices into `Cp.intervals`; `when` makes a linear row conditional. */
export type CpConstraint =
  | {
      readonly kind: 'linear'
      readonly terms: readonly Term[]
      readonly lower?: number
      readonly upper?: number
      readonly when?: readonly CpLiteral[]
    }
  | { readonly kind: 'exactly-one'; readonly literals: readonly CpLiteral[] }
  | { readonly kind: 'or'; readonly literals: readonly CpLiteral[] }
  | { readonly kind: 'no-overlap'; readonly intervals: readonly number[] }
  | {
      readonly kind: 'cumulative'
      readonly intervals: readonly number[]
      readonly demands: readonly number[]
      readonly capacity: number
    }
  | {
      readonly kind: 'reservoir'
      readonly times: readonly Variable[]
      readonly changes: readonly number[]
      readonly active?: readonly (CpLiteral | undefined)[]
      readonly atLeast: number
      readonly atMost: number
    }

/** Constraint-programming model over bounded integers (Booleans are 0..1), minimised. */
export type Cp = {
  readonly kind: 'cp'
  readonly variables: readonly { readonly lower: number; readonly upper: number }[]
  readonly intervals: readonly CpInterval[]
  readonly constraints: readonly CpConstraint[]
  readonly objective: readonly Term[]
}

/** What crosses from encoders to backends: structured-clone data without any user text. */
export type Model = Milp | Smt | Cp
