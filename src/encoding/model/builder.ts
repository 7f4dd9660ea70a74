import type {
  BoolSum,
  Clause,
  Cp,
  CpConstraint,
  CpInterval,
  CpLiteral,
  Literal,
  Milp,
  MilpRow,
  MilpVariable,
  Smt,
  Term,
  Variable
} from './types.ts'

/** Collects a MILP: variables and rows in the order in which groups ask for them. */
export class MilpBuilder {
  readonly #variables: MilpVariable[] = []
  readonly #rows: MilpRow[] = []
  #objective: readonly Term[] = []

  /** A continuous variable. */
  continuous(lower: number, upper: number): Variable {
    return this.#variables.push({ lower, upper, integer: false }) - 1
  }

  /** A 0-1 variable. */
  binary(): Variable {
    return this.#variables.push({ lower: 0, upper: 1, integer: true }) - 1
  }

  get numVariables(): number {
    return this.#variables.length
  }

  /** Adds lower <= sum of terms <= upper; terms of one variable are joined, zero ones dropped. */
  row(terms: readonly Term[], lower: number | undefined, upper?: number): void {
    const joined = new Map<Variable, number>()
    for (const [variable, coefficient] of terms) joined.set(variable, (joined.get(variable) ?? 0) + coefficient)
    const kept = [...joined].filter(([, coefficient]) => coefficient !== 0)
    this.#rows.push({
      terms: kept,
      ...(lower === undefined ? {} : { lower }),
      ...(upper === undefined ? {} : { upper })
    })
  }

  /** Makes the model infeasible on purpose, in a form that every solver reads. */
  contradict(): void {
    this.row([[this.continuous(0, 1), 1]], 2)
  }

  minimise(terms: readonly Term[]): void {
    this.#objective = terms
  }

  finish(): Milp {
    return { kind: 'milp', variables: this.#variables, rows: this.#rows, objective: this.#objective }
  }
}

/** Collects a decision model. */
export class SmtBuilder {
  readonly #ints: { lower: number; upper: number }[] = []
  readonly #clauses: Clause[] = []
  readonly #sums: BoolSum[] = []
  #numBools = 0

  int(lower: number, upper: number): Variable {
    return this.#ints.push({ lower, upper }) - 1
  }

  bool(): Variable {
    return this.#numBools++
  }

  clause(...literals: Literal[]): void {
    this.#clauses.push(literals)
  }

  sum(terms: readonly Term[], atMost: number): void {
    this.#sums.push({ terms, atMost })
  }

  get numInts(): number {
    return this.#ints.length
  }

  /** The range of an integer variable. */
  range(variable: Variable): { readonly lower: number; readonly upper: number } {
    return this.#ints[variable]
  }

  finish(): Smt {
    return { kind: 'smt', ints: this.#ints, numBools: this.#numBools, clauses: this.#clauses, sums: this.#sums }
  }
}

/** What a variable is worth where the variables made before it have these values. */
export type Follows = (values: ArrayLike<number>) => number

/** Collects a constraint-programming model. */
export class CpBuilder {
  readonly #variables: { lower: number; upper: number }[] = []
  readonly #follows: (Follows | undefined)[] = []
  readonly #intervals: CpInterval[] = []
  readonly #constraints: CpConstraint[] = []
  #objective: readonly Term[] = []

  int(lower: number, upper: number, follows?: Follows): Variable {
    this.#follows.push(follows)
    return this.#variables.push({ lower, upper }) - 1
  }

  bool(follows?: (values: ArrayLike<number>) => boolean): Variable {
    return this.int(0, 1, follows && (values => (follows(values) ? 1 : 0)))
  }

  /** A point from the values of the variables that follow from no others; the others are worked out. */
  complete(given: ReadonlyMap<Variable, number>): Float64Array {
    const values = new Float64Array(this.#variables.length)
    for (const [variable, value] of given) values[variable] = value
    for (const [variable, follows] of this.#follows.entries()) if (follows) values[variable] = follows(values)
    return values
  }

  /** Index of a new interval. */
  interval(interval: CpInterval): number {
    return this.#intervals.push(interval) - 1
  }

  add(constraint: CpConstraint): void {
    this.#constraints.push(constraint)
  }

  /** later - earlier >= gap, where all literals hold. */
  after(later: Variable, earlier: Variable, gap: number, when: readonly CpLiteral[] = []): void {
    this.add({
      kind: 'linear',
      terms: [
        [later, 1],
        [earlier, -1]
      ],
      lower: gap,
      ...(when.length > 0 ? { when } : {})
    })
  }

  minimise(terms: readonly Term[]): void {
    this.#objective = terms
  }

  finish(): Cp {
    return {
      kind: 'cp',
      variables: this.#variables,
      intervals: this.#intervals,
      constraints: this.#constraints,
      objective: this.#objective
    }
  }
}

/** The Boolean holds. */
export function yes(bool: Variable): Literal {
  return { bool, value: true }
}

/** The Boolean does not hold. */
export function no(bool: Variable): Literal {
  return { bool, value: false }
}

/** later - earlier >= gap. */
export function atLeast(later: Variable, earlier: Variable, gap: number): Literal {
  return { x: later, y: earlier, atLeast: gap }
}
