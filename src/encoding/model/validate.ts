import { type Fault, FaultError } from '../../base/fault.ts'
import type { Cp, CpConstraint, CpLiteral, Literal, Milp, MilpRow, Model, Smt, Term } from './types.ts'

/**
 * Throws unless a model is well formed: finite numbers, known variables, none twice in a row, integers with finite whole
 * bounds. Solvers answer such slips with a wrong "optimal" or an abort, so nothing reaches one unchecked.
 * @throws FaultError MODEL_INVALID with every fault, at most 20
 */
export function validateModel(model: Model): void {
  const report = new Report()
  switch (model.kind) {
    case 'milp':
      validateMilp(model, report)
      break
    case 'smt':
      validateSmt(model, report)
      break
    case 'cp':
      validateCp(model, report)
      break
  }
  report.finish()
}

class Report {
  readonly #faults: Fault[] = []

  add(path: string, value: unknown, message: string): void {
    if (this.#faults.length < 20)
      this.#faults.push({
        code: 'MODEL_INVALID',
        path,
        value,
        message,
        advice: 'Report it: an encoder made this model.'
      })
  }

  finish(): void {
    if (this.#faults.length > 0) throw new FaultError(this.#faults)
  }

  bounds(path: string, { lower, upper }: { readonly lower: number; readonly upper: number }, whole: boolean): void {
    if (Number.isNaN(lower) || Number.isNaN(upper) || lower > upper)
      this.add(path, [lower, upper], 'bounds are not a range')
    else if (whole && !(Number.isSafeInteger(lower) && Number.isSafeInteger(upper)))
      this.add(path, [lower, upper], 'an integer variable needs finite whole bounds')
  }

  terms(path: string, terms: readonly Term[], numVariables: number, whole: boolean): void {
    const seen = new Set<number>()
    for (const [variable, coefficient] of terms) {
      if (!(Number.isInteger(variable) && variable >= 0 && variable < numVariables))
        this.add(path, variable, 'unknown variable')
      if (seen.has(variable)) this.add(path, variable, 'variable occurs twice')
      seen.add(variable)
      if (whole ? !Number.isSafeInteger(coefficient) : !Number.isFinite(coefficient))
        this.add(path, coefficient, whole ? 'coefficient is not a whole number' : 'coefficient is not finite')
    }
  }

  row(path: string, row: Pick<MilpRow, 'lower' | 'upper'>, whole: boolean): void {
    const sides = [row.lower, row.upper].filter(side => side !== undefined)
    if (sides.length === 0) this.add(path, row, 'row has no side')
    for (const side of sides)
      if (whole ? !Number.isSafeInteger(side) : !Number.isFinite(side))
        this.add(path, side, 'side is not a usable number')
    if (row.lower !== undefined && row.upper !== undefined && row.lower > row.upper)
      this.add(path, [row.lower, row.upper], 'row sides are not a range')
  }
}

function validateMilp(model: Milp, report: Report): void {
  const count = model.variables.length
  for (const [index, variable] of model.variables.entries())
    report.bounds(`variables[${index}]`, variable, variable.integer)
  for (const [index, row] of model.rows.entries()) {
    report.terms(`rows[${index}]`, row.terms, count, false)
    report.row(`rows[${index}]`, row, false)
  }
  report.terms('objective', model.objective, count, false)
}

function validateSmt(model: Smt, report: Report): void {
  for (const [index, bounds] of model.ints.entries()) report.bounds(`ints[${index}]`, bounds, true)
  const known = (literal: Literal) =>
    'bool' in literal
      ? Number.isInteger(literal.bool) && literal.bool >= 0 && literal.bool < model.numBools
      : Number.isSafeInteger(literal.atLeast) &&
        [literal.x, literal.y].every(x => Number.isInteger(x) && x >= -1 && x < model.ints.length)
  for (const [index, clause] of model.clauses.entries()) {
    const wrong = clause.find(literal => !known(literal))
    if (wrong) report.add(`clauses[${index}]`, wrong, 'literal names no variable or no whole number')
  }
  for (const [index, { terms, atMost }] of model.sums.entries()) {
    report.terms(`sums[${index}]`, terms, model.numBools, true)
    if (!Number.isSafeInteger(atMost) || terms.some(([, coefficient]) => coefficient < 0))
      report.add(`sums[${index}]`, atMost, 'sum needs whole numbers, coefficients at least 0')
  }
}

function validateCp(model: Cp, report: Report): void {
  const count = model.variables.length
  const known = (variable: number) => Number.isInteger(variable) && variable >= 0 && variable < count
  const literal = (path: string, { variable }: CpLiteral) => {
    if (!known(variable) || model.variables[variable].lower < 0 || model.variables[variable].upper > 1)
      report.add(path, variable, 'literal is not a 0-1 variable')
  }
  for (const [index, bounds] of model.variables.entries()) report.bounds(`variables[${index}]`, bounds, true)
  for (const [index, { start, end, size, presence }] of model.intervals.entries()) {
    const path = `intervals[${index}]`
    if (!known(start) || !known(end)) report.add(path, [start, end], 'unknown variable')
    if (typeof size === 'number' ? !Number.isSafeInteger(size) || size < 0 : !known(size.variable))
      report.add(path, size, 'size is not a whole number or a known variable')
    if (presence) literal(path, presence)
  }
  for (const [index, constraint] of model.constraints.entries())
    validateCpConstraint(model, constraint, `constraints[${index}]`, report, literal)
  report.terms('objective', model.objective, count, true)
}

function validateCpConstraint(
  model: Cp,
  constraint: CpConstraint,
  path: string,
  report: Report,
  literal: (path: string, literal: CpLiteral) => void
): void {
  const intervals = (list: readonly number[]) => {
    if (list.some(index => !(Number.isInteger(index) && index >= 0 && index < model.intervals.length)))
      report.add(path, list, 'unknown interval')
  }
  switch (constraint.kind) {
    case 'linear':
      report.terms(path, constraint.terms, model.variables.length, true)
      report.row(path, constraint, true)
      for (const when of constraint.when ?? []) literal(path, when)
      break
    case 'exactly-one':
    case 'or':
      for (const one of constraint.literals) literal(path, one)
      break
    case 'no-overlap':
      intervals(constraint.intervals)
      break
    case 'cumulative':
      intervals(constraint.intervals)
      if (
        constraint.demands.length !== constraint.intervals.length ||
        !allWhole([...constraint.demands, constraint.capacity])
      )
        report.add(path, constraint.demands, 'demands are not one whole number per interval')
      break
    case 'reservoir':
      if (
        constraint.times.length !== constraint.changes.length ||
        !allWhole([...constraint.changes, constraint.atMost, constraint.atLeast])
      )
        report.add(path, constraint.changes, 'changes are not one whole number per time')
      for (const active of constraint.active ?? []) if (active) literal(path, active)
      break
  }
}

function allWhole(values: readonly number[]): boolean {
  return values.every(Number.isSafeInteger)
}
