import type { Engine, Finding, Status, Stop } from '../port.ts'

/** The engine; the package does not say which OR-Tools it carries. */
export const CPSAT_ENGINE: Engine = { name: 'CP-SAT', version: '0.9.1 (or-tools-wasm)' }

/**
 * What each CP-SAT status name means here. It knows nothing where a limit came first, which it may stop well short of.
 * Objective and bound of others than the first two are 0 or junk.
 */
export function cpsatMeaning(name: string): { stop: Stop; status?: Status } {
  switch (name) {
    case 'OPTIMAL':
      return { stop: 'proved', status: 'optimal' }
    case 'FEASIBLE':
      return { stop: 'time', status: 'feasible' }
    case 'INFEASIBLE':
      return { stop: 'proved', status: 'infeasible' }
    case 'UNKNOWN':
      return { stop: 'time' }
    case 'MODEL_INVALID':
      return { stop: 'crash' }
    default:
      return { stop: 'crash' }
  }
}

/** Numbers in the log have nine digits: longer ones are rounded, and a bound that is rounded up is none. */
const PROGRESS = /^#(?:Bound|\d+)\s+\S+s\s+best:\S+\s+next:\[(-?\d{1,9}),/

/** The bound in a line of CP-SAT's log, such as `#Bound 5.89s best:859 next:[601,858] main`: what is left lies in those brackets. */
export function readCpsatLog(line: string): Finding | undefined {
  const [, bound] = PROGRESS.exec(line) ?? []
  return bound === undefined ? undefined : { claimedBound: Number(bound), engine: CPSAT_ENGINE }
}
