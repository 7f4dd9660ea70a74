import type { Status, Stop } from '../port.ts'

/** What an answer (Z3_lbool: 1 sat, -1 unsat, 0 unknown with its reason) means here. Anything else says nothing. */
export function z3Meaning(
  answer: number,
  reason: string,
  byClock: boolean
): { stop: Stop; status?: Status; name: string } {
  switch (answer) {
    case 1:
      return { stop: 'proved', status: 'sat', name: 'sat' }
    case -1:
      return { stop: 'proved', status: 'unsat', name: 'unsat' }
    case 0:
      return { stop: unknownStop(reason, byClock), name: `unknown: ${reason}` }
    default:
      return { stop: 'crash', name: `unknown answer ${answer}` }
  }
}

/** Z3 calls a timeout and a spent resource limit alike "canceled": who set which limit tells them apart. */
function unknownStop(reason: string, byClock: boolean): Stop {
  if (/memory/i.test(reason)) return 'memory'
  if (/timeout/i.test(reason)) return 'time'
  if (/resource|rlimit/i.test(reason)) return 'steps'
  if (/cancel/i.test(reason)) return byClock ? 'time' : 'steps'
  return 'crash'
}
