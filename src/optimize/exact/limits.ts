import type { SolveRequest } from '../../solvers/port.ts'
import type { SolveOptions } from '../types.ts'

/** Solver steps of one run where clocks may not decide, in Z3's unit: about half a minute of one core. */
const DETERMINISTIC_STEPS = 4_000_000

/** The step limit of one solver run: only where clocks may not decide. */
export function stepLimitOf({ deterministic }: SolveOptions): Pick<SolveRequest, 'stepLimit'> {
  return deterministic ? { stepLimit: DETERMINISTIC_STEPS } : {}
}
