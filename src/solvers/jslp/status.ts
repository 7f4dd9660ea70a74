import type { Status, Stop } from '../port.ts'

/** What it returns: flags beside the values. */
export type JslpResult = {
  readonly feasible: boolean
  readonly bounded?: boolean
  readonly result: number
  readonly [name: string]: unknown
}

/**
 * What a result means here. At a time limit it still says feasible, with a point that may break rows, and a wrong "infeasible"
 * is known at large coefficients: so a point of a MILP is at best feasible until it is checked, and "infeasible" is nothing.
 */
export function jslpMeaning(result: JslpResult, timeUp: boolean, whole: boolean): { stop: Stop; status?: Status } {
  if (timeUp) return result.feasible ? { stop: 'time', status: 'feasible' } : { stop: 'time' }
  if (!result.feasible) return whole ? { stop: 'crash' } : { stop: 'proved', status: 'infeasible' }
  if (result.bounded === false) return { stop: 'proved', status: 'unbounded' }
  return { stop: 'proved', status: whole ? 'feasible' : 'optimal' }
}
