import type { Milp } from '../../encoding/model/types.ts'

/** A model in javascript-lp-solver's form. Its variables start at 0, so each is written as its distance from its lower bound. */
export type JslpModel = {
  readonly optimize: 'obj'
  readonly opType: 'min'
  readonly constraints: Record<string, { min?: number; max?: number }>
  readonly variables: Record<string, Record<string, number>>
  readonly ints: Record<string, 1>
  readonly timeout: number
}

/** Names are our own (x0, c0), never a user's: they become object keys. Infinite lower bounds cannot be shifted. */
export function toJslp(model: Milp, timeoutMs: number): JslpModel | undefined {
  if (model.variables.some(({ lower }) => !Number.isFinite(lower))) return undefined
  const result: JslpModel = {
    optimize: 'obj',
    opType: 'min',
    constraints: {},
    variables: {},
    ints: {},
    timeout: timeoutMs
  }
  for (const [index, { lower, upper, integer }] of model.variables.entries()) {
    result.variables[`x${index}`] = { obj: 0, [`u${index}`]: 1 }
    if (Number.isFinite(upper)) result.constraints[`u${index}`] = { max: upper - lower }
    if (integer) result.ints[`x${index}`] = 1
  }
  for (const [variable, coefficient] of model.objective) result.variables[`x${variable}`].obj = coefficient
  for (const [index, { terms, lower, upper }] of model.rows.entries()) {
    let shift = 0
    for (const [variable, coefficient] of terms) {
      result.variables[`x${variable}`][`c${index}`] = coefficient
      shift += coefficient * model.variables[variable].lower
    }
    result.constraints[`c${index}`] = {
      ...(lower === undefined ? {} : { min: lower - shift }),
      ...(upper === undefined ? {} : { max: upper - shift })
    }
  }
  return result
}
