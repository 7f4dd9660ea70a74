import { range } from '../base/arrays.ts'
import { indexEvents } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import type { Family } from '../schedule/family.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import type { EventId, Problem } from '../schedule/problem.ts'
import { Bubbles, lagToFirst, mergePlaced, type Placed, type Profile, profileBody } from './profile.ts'
import { transposeObstacle } from './transpose.ts'

/** Encoder work placed greedily into the bubbles that the backbone alone leaves. */
export const optimus: Family = {
  id: 'optimus',
  title: 'encodes placed greedily into the profiled bubbles of the backbone, whole encodes only',
  source:
    'Optimus-like (arXiv 2408.03505): coarse-grained bubble scheduling; its layer-wise second pass is not modelled',
  apply: measured => {
    const obstacle = transposeObstacle(measured) ?? (measured.regions.length < 2 ? 'no backbone to fill' : undefined)
    if (obstacle) return { kind: 'not-applicable', reason: obstacle }
    const problem = buildProblem(measured)
    const profile = profileBody(measured, problem)
    const placed = placeGreedily(measured, problem, profile)
    return { kind: 'order', measured, problem, sequences: mergePlaced(profile, placed) }
  }
}

/**
 * Microbatches ascending. An encode takes the bubble in which it ends first among those that deliver its feature in time
 * (ties: lower rank); where none does, the prefix of the rank whose first forward comes latest after what its prefix
 * already got. Backwards then take the first bubble after their gradient arrives.
 */
function placeGreedily(measured: Measured, problem: Problem, profile: Profile): Placed[] {
  const bubbles = new Bubbles(profile)
  const slack = profile.body.map(events => (events.length > 0 ? profile.start[events[0]] : 0))
  const { find } = indexEvents(problem)
  const encodes = range(measured.microbatches).flatMap((m): (Placed & { m: number })[] => {
    const id = find('E', -1, m)
    const forward = find('F', 0, m)
    if (id === undefined || forward === undefined) return []
    return [{ m, id, ...(inBubble(problem, profile, bubbles, id, forward) ?? inPrefix(problem, slack, id)) }]
  })
  const backwards = encodes.flatMap(({ m, rank }): Placed[] => {
    const [id, after] = [find('EB', -1, m), find('B', 0, m)]
    if (id === undefined || after === undefined) return []
    const home = measured.encoderBackward === 'first-rank' ? 0 : rank
    const duration = durationOf(problem, id, home)
    const at = bubbles.firstFit(home, profile.end[after] + lagToFirst(problem, 'scatter', home), duration)
    bubbles.book(home, at, duration)
    return [{ id, rank: home, at }]
  })
  return [...encodes, ...backwards]
}

function inBubble(problem: Problem, profile: Profile, bubbles: Bubbles, id: EventId, forward: EventId) {
  const options = range(problem.ranks).map(rank => {
    const { duration, release } = problem.events[id].modes[rank]
    return { rank, duration, at: bubbles.firstFit(rank, release, duration) }
  })
  const timely = options.filter(
    ({ rank, at, duration }) => at + duration + lagToFirst(problem, 'gather', rank) <= profile.start[forward]
  )
  const best = timely.sort((a, b) => a.at + a.duration - (b.at + b.duration) || a.rank - b.rank)[0]
  if (!best) return undefined
  bubbles.book(best.rank, best.at, best.duration)
  return { rank: best.rank, at: best.at }
}

/** A prefix runs before everything else of its rank: its tick is before 0, in order of microbatch. */
function inPrefix(problem: Problem, slack: Tick[], id: EventId) {
  const rank = slack.indexOf(Math.max(...slack))
  slack[rank] -= durationOf(problem, id, rank)
  return { rank, at: -1 }
}

function durationOf(problem: Problem, id: EventId, rank: number): Tick {
  return problem.events[id].modes.find(mode => mode.rank === rank)?.duration ?? 0
}
