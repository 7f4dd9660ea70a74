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
      sequences: mergePlaced(problem, profile, placeNested(measured, problem, profile))
    }
  }
}

function placeNested(measured: Measured, problem: Problem, profile: Profile): Placed[] {
  const { ranks, microbatches, encoderBackward } = measured
  const { find, encodes } = indexEvents(problem)
  return range(microbatches).flatMap((m): Placed[] => {
    const [forward, backward] = [find('F', 0, m), find('B', 0, m)]
    if (forward === undefined) return []
    const owner = ownerOf(m, ranks, microbatches, 'full')
    let at = profile.start[forward] - lagToFirst(problem, 'gather', owner)
    const placed = [...encodes('E', m)].reverse().map(id => {
      at -= problem.events[id].modes[owner].duration
      return { id, rank: owner, at }
    })
    placed.reverse()
    if (backward === undefined) return placed
    const home = encoderBackward === 'first-rank' ? 0 : owner
    let free = profile.end[backward] + lagToFirst(problem, 'scatter', home)
    const backwards = encodes('EB', m).map(id => {
      const start = free
      free += problem.events[id].modes.find(mode => mode.rank === home)?.duration ?? 0
      return { id, rank: home, at: start }
    })
    return [...placed, ...backwards]
  })
}
