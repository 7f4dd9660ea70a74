import { ownerOf } from '../algebra/placement.ts'
import { range } from '../base/arrays.ts'
import { indexEvents } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import type { Family } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import type { Problem } from '../schedule/problem.ts'
import { lagToFirst, mergePlaced, type Placed, type Profile, profileBody } from './profile.ts'
import { transposeObstacle } from './transpose.ts'

/** Each encode right before its feature is needed, its backward right after its gradient arrives. */
export const nested: Family = {
  id: 'nested',
  title: 'encoder nested in the pipeline: each encode just before its forward, on rank m mod min(P, M)',
  source: 'BigMac-like (arXiv 2605.25451): encoder compute nested in the backbone pipeline for the least memory',
  apply: measured => {
    const obstacle = transposeObstacle(measured) ?? (measured.regions.length < 2 ? 'no backbone to nest in' : undefined)
    if (obstacle) return { kind: 'not-applicable', reason: obstacle }
    const problem = buildProblem(measured)
    const profile = profileBody(measured, problem)
    return {
      kind: 'order',
      measured,
      problem,
      sequences: mergePlaced(profile, placeNested(measured, problem, profile))
    }
  }
}

function placeNested(measured: Measured, problem: Problem, profile: Profile): Placed[] {
  const { ranks, microbatches, encoderBackward } = measured
  const { find } = indexEvents(problem)
  return range(microbatches).flatMap((m): Placed[] => {
    const [encode, forward, backward, last] = [find('E', -1, m), find('F', 0, m), find('B', 0, m), find('EB', -1, m)]
    if (encode === undefined || forward === undefined) return []
    const owner = ownerOf(m, ranks, microbatches, 'full')
    const duration = problem.events[encode].modes[owner].duration
    const late = profile.start[forward] - lagToFirst(problem, 'gather', owner) - duration
    const placed = [{ id: encode, rank: owner, at: late }]
    if (last === undefined || backward === undefined) return placed
    const home = encoderBackward === 'first-rank' ? 0 : owner
    return [...placed, { id: last, rank: home, at: profile.end[backward] + lagToFirst(problem, 'scatter', home) }]
  })
}
