import type { Status, Stop } from '../port.ts'

/** What each HiGHS model status means here; `hasPoint` is its own primal solution status. Unknown ones say nothing. */
export function highsMeaning(code: number, hasPoint: boolean): { stop: Stop; status?: Status; name: string } {
  const partial: { status?: Status } = hasPoint ? { status: 'feasible' } : {}
  switch (code) {
    case 7:
      return hasPoint
        ? { stop: 'proved', status: 'optimal', name: 'optimal' }
        : { stop: 'crash', name: 'optimal without a point' }
    case 8:
      return { stop: 'proved', status: 'infeasible', name: 'infeasible' }
    case 9:
      return { stop: 'proved', name: 'unbounded or infeasible' }
    case 10:
      return { stop: 'proved', status: 'unbounded', name: 'unbounded' }
    case 11:
      return { stop: 'steps', ...partial, name: 'objective bound reached' }
    case 12:
      return { stop: 'steps', ...partial, name: 'objective target reached' }
    case 13:
      return { stop: 'time', ...partial, name: 'time limit reached' }
    case 14:
      return { stop: 'steps', ...partial, name: 'iteration limit reached' }
    case 16:
      return { stop: 'steps', ...partial, name: 'solution limit reached' }
    case 17:
      return { stop: 'cancelled', ...partial, name: 'interrupted' }
    default:
      return { stop: 'crash', name: `status ${code}` }
  }
}
