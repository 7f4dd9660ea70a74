import type { Status, Stop } from '../port.ts'

/** What each GLPK status means here. Anything else than these, and z where there is no point, says nothing. */
export function glpkMeaning(
  code: number,
  timeUp: boolean
): { stop: Stop; status?: Status; point: boolean; name: string } {
  switch (code) {
    case 5:
      return { stop: 'proved', status: 'optimal', point: true, name: 'GLP_OPT' }
    case 2:
      return { stop: 'time', status: 'feasible', point: true, name: 'GLP_FEAS' }
    case 4:
      return { stop: 'proved', status: 'infeasible', point: false, name: 'GLP_NOFEAS' }
    case 1:
      return { stop: timeUp ? 'time' : 'crash', point: false, name: 'GLP_UNDEF' }
    case 3:
      return { stop: timeUp ? 'time' : 'crash', point: false, name: 'GLP_INFEAS' }
    case 6:
      return { stop: 'proved', point: false, name: 'GLP_UNBND' }
    default:
      return { stop: 'crash', point: false, name: `unknown status ${code}` }
  }
}
