import type { Status, Stop } from '../port.ts'

/** What an answer to check-sat means here. An error line makes everything after it worthless, "sat" included. */
export function z3Meaning(
  answer: string,
  reason: string,
  byClock: boolean
): { stop: Stop; status?: Status; point: boolean } {
  if (answer.includes('(error')) return { stop: 'crash', point: false }
  const last = answer.trim().split('\n').at(-1)?.trim()
  switch (last) {
    case 'sat':
      return { stop: 'proved', status: 'sat', point: true }
    case 'unsat':
      return { stop: 'proved', status: 'unsat', point: false }
    case 'unknown':
      return { stop: unknownStop(reason, byClock), point: false }
    default:
      return { stop: 'crash', point: false }
  }
}

/** Z3 calls a timeout and a spent resource limit alike "canceled": who set which limit tells them apart. */
function unknownStop(reason: string, byClock: boolean): Stop {
  if (/memory/i.test(reason)) return 'memory'
  if (/timeout/i.test(reason)) return 'time'
  if (/resource|rlimit/i.test(reason)) return 'steps'
  if (/cancel/i.test(reason)) return byClock ? 'time' : 'steps'
  return byClock ? 'time' : 'crash'
}
