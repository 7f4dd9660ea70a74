import type { Status, Stop } from '../port.ts'

/** What each CP-SAT status name means here; `timeUp` tells why it knows nothing. Objective and bound of others are 0 or junk. */
export function cpsatMeaning(name: string, timeUp: boolean): { stop: Stop; status?: Status } {
  switch (name) {
    case 'OPTIMAL':
      return { stop: 'proved', status: 'optimal' }
    case 'FEASIBLE':
      return { stop: 'time', status: 'feasible' }
    case 'INFEASIBLE':
      return { stop: 'proved', status: 'infeasible' }
    case 'UNKNOWN':
      return { stop: timeUp ? 'time' : 'crash' }
    case 'MODEL_INVALID':
      return { stop: 'crash' }
    default:
      return { stop: 'crash' }
  }
}
