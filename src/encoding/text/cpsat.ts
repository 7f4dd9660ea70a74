import type { Cp, CpConstraint, CpInterval, CpLiteral, Term } from '../model/types.ts'

/** Parts of CP-SAT's model message that are used, with its own field names (camelCase as in its JSON form). */
export type CpSatExpression = {
  readonly vars?: readonly number[]
  readonly coeffs?: readonly number[]
  readonly offset?: number
}
export type CpSatConstraint = { readonly enforcementLiteral?: readonly number[]; readonly [kind: string]: unknown }
export type CpSatModel = {
  readonly variables: readonly { readonly domain: readonly number[] }[]
  readonly constraints: readonly CpSatConstraint[]
  readonly objective: { readonly vars: readonly number[]; readonly coeffs: readonly number[] }
  readonly solutionHint?: { readonly vars: readonly number[]; readonly values: readonly number[] }
}

/**
 * A model as CP-SAT's message. A negated literal of variable i is -i-1. An interval constraint does not imply
 * start + size == end, so each comes with that row. Interval i of the model is constraint i.
 */
export function toCpSatModel(model: Cp, hint?: ArrayLike<number>): CpSatModel {
  return {
    variables: model.variables.map(({ lower, upper }) => ({ domain: [lower, upper] })),
    constraints: [
      ...model.intervals.map(intervalMessage),
      ...model.intervals.map(intervalRow),
      ...model.constraints.map(constraint => constraintMessage(model, constraint))
    ],
    objective: { vars: model.objective.map(([x]) => x), coeffs: model.objective.map(([, c]) => c) },
    ...(hint ? { solutionHint: { vars: model.variables.map((_, x) => x), values: Array.from(hint) } } : {})
  }
}

/** The same message as protocol-buffer text, for `SolveWithParameters` of a native OR-Tools. */
export function writeCpSat(model: Cp): string {
  return `${fields(toCpSatModel(model), '').join('\n')}\n`
}

function literalIndex({ variable, value }: CpLiteral): number {
  return value ? variable : -variable - 1
}

function variable(x: number): CpSatExpression {
  return { vars: [x], coeffs: [1] }
}

function enforced(literals: readonly CpLiteral[]): { enforcementLiteral?: readonly number[] } {
  return literals.length > 0 ? { enforcementLiteral: literals.map(literalIndex) } : {}
}

function intervalMessage({ start, end, size, presence }: CpInterval): CpSatConstraint {
  return {
    ...enforced(presence ? [presence] : []),
    interval: {
      start: variable(start),
      end: variable(end),
      size: typeof size === 'number' ? { offset: size } : variable(size.variable)
    }
  }
}

function intervalRow({ start, end, size, presence }: CpInterval): CpSatConstraint {
  return {
    ...enforced(presence ? [presence] : []),
    linear:
      typeof size === 'number'
        ? { vars: [end, start], coeffs: [1, -1], domain: [size, size] }
        : { vars: [end, start, size.variable], coeffs: [1, -1, -1], domain: [0, 0] }
  }
}

function constraintMessage(model: Cp, constraint: CpConstraint): CpSatConstraint {
  switch (constraint.kind) {
    case 'linear': {
      const [least, most] = range(model, constraint.terms)
      return {
        ...enforced(constraint.when ?? []),
        linear: {
          vars: constraint.terms.map(([x]) => x),
          coeffs: constraint.terms.map(([, c]) => c),
          domain: [
            constraint.lower ?? Math.min(least, constraint.upper ?? least),
            constraint.upper ?? Math.max(most, constraint.lower ?? most)
          ]
        }
      }
    }
    case 'exactly-one':
      return { exactlyOne: { literals: constraint.literals.map(literalIndex) } }
    case 'or':
      return { boolOr: { literals: constraint.literals.map(literalIndex) } }
    case 'no-overlap':
      return { noOverlap: { intervals: constraint.intervals } }
    case 'cumulative':
      return {
        cumulative: {
          capacity: { offset: constraint.capacity },
          intervals: constraint.intervals,
          demands: constraint.demands.map(offset => ({ offset }))
        }
      }
    case 'reservoir':
      return {
        reservoir: {
          minLevel: constraint.atLeast,
          maxLevel: constraint.atMost,
          timeExprs: constraint.times.map(variable),
          levelChanges: constraint.changes.map(offset => ({ offset })),
          ...(constraint.active ? { activeLiterals: activeLiterals(model, constraint.active) } : {})
        }
      }
  }
}

/** Every moment needs a literal; "always" borrows a fixed variable. */
function activeLiterals(model: Cp, active: readonly (CpLiteral | undefined)[]): number[] {
  const sure = model.variables.findIndex(({ lower, upper }) => lower === 1 && upper === 1)
  return active.map(literal => (literal ? literalIndex(literal) : sure))
}

/** Least and most that a sum can be: open sides of a row get these, for the message has no infinity that JSON carries. */
function range({ variables }: Cp, terms: readonly Term[]): readonly [number, number] {
  let [least, most] = [0, 0]
  for (const [x, c] of terms) {
    least += Math.min(c * variables[x].lower, c * variables[x].upper)
    most += Math.max(c * variables[x].lower, c * variables[x].upper)
  }
  return [least, most]
}

function fields(message: object, indent: string): string[] {
  return Object.entries(message).flatMap(([name, value]) => {
    const field = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
    if (Array.isArray(value) && value.every(item => typeof item === 'number'))
      return value.length > 0 ? [`${indent}${field}: [${value.join(', ')}]`] : []
    if (Array.isArray(value)) return value.flatMap(item => block(field, item, indent))
    return typeof value === 'object' && value !== null ? block(field, value, indent) : [`${indent}${field}: ${value}`]
  })
}

function block(field: string, message: object, indent: string): string[] {
  return [`${indent}${field} {`, ...fields(message, `${indent}  `), `${indent}}`]
}
