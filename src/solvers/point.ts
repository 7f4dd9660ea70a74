import type { Clause, Cp, CpConstraint, CpLiteral, Literal, Milp, Model, Smt, Term } from '../encoding/model/types.ts'

const WHOLE = 1e-5
const SLACK = 1e-6

/** What a model's point breaks, in words; undefined where it holds. Distrusts the solver: plain arithmetic only. */
export function pointFault(model: Model, values: ArrayLike<number>): string | undefined {
  switch (model.kind) {
    case 'milp':
      return milpFault(model, values)
    case 'smt':
      return smtFault(model, values)
    case 'cp':
      return cpFault(model, values)
  }
}

/** A milp point with its integers made whole where they nearly are: solvers answer 0.9999999 and 3e-7. */
export function wholePoint(model: Milp, values: ArrayLike<number>): Float64Array {
  return Float64Array.from(model.variables, (variable, index) => {
    const value = values[index]
    const whole = Math.round(value)
    const near = variable.integer && Math.abs(value - whole) <= WHOLE ? whole : value
    return Math.min(variable.upper, Math.max(variable.lower, Math.abs(near - value) <= WHOLE ? near : value)) + 0
  })
}

/** The objective of a point. */
export function objectiveOf(model: Milp | Cp, values: ArrayLike<number>): number {
  return total(model.objective, values)
}

function total(terms: readonly Term[], values: ArrayLike<number>): number {
  let sum = 0
  for (const [variable, coefficient] of terms) sum += coefficient * values[variable]
  return sum
}

function milpFault(model: Milp, values: ArrayLike<number>): string | undefined {
  if (values.length !== model.variables.length) return `point has ${values.length} of ${model.variables.length} values`
  for (const [index, { lower, upper, integer }] of model.variables.entries()) {
    const value = values[index]
    if (!(value >= lower - SLACK && value <= upper + SLACK)) return `x${index} = ${value} is outside ${lower}..${upper}`
    if (integer && !Number.isInteger(value)) return `x${index} = ${value} is not whole`
  }
  for (const [index, { terms, lower, upper }] of model.rows.entries()) {
    const value = total(terms, values)
    const slack =
      SLACK * Math.max(1, ...terms.map(([x, c]) => (model.variables[x].integer ? 1 : Math.abs(c * values[x]))))
    if (!(value >= (lower ?? -Infinity) - slack && value <= (upper ?? Infinity) + slack))
      return `row c${index} is ${value}, outside ${lower ?? '-inf'}..${upper ?? 'inf'}`
  }
  return undefined
}

function smtFault(model: Smt, values: ArrayLike<number>): string | undefined {
  const numInts = model.ints.length
  if (values.length !== numInts + model.numBools)
    return `point has ${values.length} of ${numInts + model.numBools} values`
  const at = (variable: number) => (variable < 0 ? 0 : values[variable])
  const holds = (literal: Literal) =>
    'bool' in literal
      ? (values[numInts + literal.bool] === 1) === literal.value
      : at(literal.x) - at(literal.y) >= literal.atLeast
  const wild = model.ints.findIndex(({ lower, upper }, index) => !(values[index] >= lower && values[index] <= upper))
  if (wild >= 0) return `x${wild} = ${values[wild]} is outside its bounds`
  const broken = model.clauses.findIndex((clause: Clause) => !clause.some(holds))
  if (broken >= 0) return `clause ${broken} does not hold`
  const over = model.sums.findIndex(({ terms, atMost }) => {
    let sum = 0
    for (const [bool, coefficient] of terms) sum += coefficient * values[numInts + bool]
    return !(sum <= atMost)
  })
  return over >= 0 ? `sum ${over} does not hold` : undefined
}

function cpFault(model: Cp, values: ArrayLike<number>): string | undefined {
  if (values.length !== model.variables.length) return `point has ${values.length} of ${model.variables.length} values`
  const wild = model.variables.findIndex(
    ({ lower, upper }, index) => !(Number.isInteger(values[index]) && values[index] >= lower && values[index] <= upper)
  )
  if (wild >= 0) return `x${wild} = ${values[wild]} is outside its domain`
  const holds = ({ variable, value }: CpLiteral) => (values[variable] === 1) === value
  const here = (index: number) =>
    model.intervals[index].presence === undefined || holds(model.intervals[index].presence)
  const loose = model.intervals.findIndex(
    ({ start, end, size }, index) =>
      here(index) && values[start] + (typeof size === 'number' ? size : values[size.variable]) !== values[end]
  )
  if (loose >= 0) return `interval ${loose} does not add up`
  const broken = model.constraints.findIndex(constraint => !cpHolds(model, constraint, values, holds, here))
  return broken >= 0 ? `constraint ${broken} (${model.constraints[broken].kind}) does not hold` : undefined
}

function cpHolds(
  model: Cp,
  constraint: CpConstraint,
  values: ArrayLike<number>,
  holds: (literal: CpLiteral) => boolean,
  here: (interval: number) => boolean
): boolean {
  const span = (index: number) => [values[model.intervals[index].start], values[model.intervals[index].end]] as const
  switch (constraint.kind) {
    case 'linear': {
      if (!(constraint.when ?? []).every(holds)) return true
      const value = total(constraint.terms, values)
      return value >= (constraint.lower ?? -Infinity) && value <= (constraint.upper ?? Infinity)
    }
    case 'exactly-one':
      return constraint.literals.filter(holds).length === 1
    case 'or':
      return constraint.literals.some(holds)
    case 'no-overlap': {
      const spans = constraint.intervals.filter(here).map(span)
      return spans.every(([s, e], i) => spans.every(([s2, e2], j) => i === j || e <= s2 || e2 <= s))
    }
    case 'cumulative': {
      const spans = constraint.intervals.map((index, at) => ({ at, index })).filter(({ index }) => here(index))
      const loadAt = (tick: number) =>
        spans.reduce((sum, { at, index }) => {
          const [s, e] = span(index)
          return s <= tick && tick < e ? sum + constraint.demands[at] : sum
        }, 0)
      return spans.every(({ index }) => loadAt(span(index)[0]) <= constraint.capacity)
    }
    case 'reservoir': {
      const active = constraint.times.map((_, i) => constraint.active?.[i] === undefined || holds(constraint.active[i]))
      const levelAt = (tick: number) =>
        constraint.times.reduce(
          (sum, time, i) => (active[i] && values[time] <= tick ? sum + constraint.changes[i] : sum),
          0
        )
      return constraint.times.every((time, i) => {
        const level = levelAt(values[time])
        return !active[i] || (level >= constraint.atLeast && level <= constraint.atMost)
      })
    }
  }
}
