import { range } from '../../../base/arrays.ts'
import type { Analysis } from '../../analysis.ts'
import type { CpBuilder } from '../../model/builder.ts'
import type { CpLiteral } from '../../model/types.ts'
import { earliestOn, latestOn, tiedGroups } from '../logic/assignment.ts'

/**
 * Assignment group. Consumes events with several modes and their ties. Creates one literal per tied group and rank that the
 * windows leave open, exactly one of them true.
 */
export function addOwners(analysis: Analysis, cp: CpBuilder): { candidates: number[][]; own: Map<number, CpLiteral> } {
  const { problem } = analysis
  const candidates = problem.events.map(({ modes }) => modes.map(({ rank }) => rank))
  const own = new Map<number, CpLiteral>()
  for (const group of tiedGroups(analysis)) {
    const open = range(problem.ranks).filter(rank =>
      group.every(event => earliestOn(analysis, event, rank) <= latestOn(analysis, event, rank))
    )
    for (const event of group) candidates[event] = open
    if (open.length === 0) cp.add({ kind: 'or', literals: [] })
    if (open.length < 2) continue
    const literals = open.map(() => ({ variable: cp.bool(), value: true }))
    cp.add({ kind: 'exactly-one', literals })
    for (const event of group)
      for (const [i, rank] of open.entries()) own.set(event * problem.ranks + rank, literals[i])
  }
  return { candidates, own }
}
