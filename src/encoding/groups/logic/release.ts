import { atLeast } from '../../model/builder.ts'
import type { Literal } from '../../model/types.ts'
import { type LogicContext, onRank } from './context.ts'

/**
 * Broadcast release group. Consumes the releases of modes (no E on a rank other than the first before the parameters
 * arrived). Creates one conditional lower bound per event and release value above its window's start.
 */
export function addReleases({ analysis, smt, start, candidates, ...rest }: LogicContext): void {
  const context = { analysis, smt, start, candidates, ...rest }
  for (const { id } of analysis.problem.events) {
    const releases = candidates[id].map(rank => ({ rank, release: analysis.release(id, rank) }))
    for (const value of new Set(releases.map(({ release }) => release))) {
      if (value <= analysis.head[id]) continue
      const less: Literal[] = []
      for (const { rank, release } of releases) {
        const here = onRank(context, id, rank)
        if (release < value && typeof here === 'object') less.push(here)
      }
      smt.clause(...less, atLeast(start[id], -1, value))
    }
  }
}
