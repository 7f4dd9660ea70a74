import { groupBy, range, sum } from '../base/arrays.ts'
import { indexEvents } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import { taskName } from '../schedule/encoder-task.ts'
import type { Family } from '../schedule/family.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import type { EventId, Problem } from '../schedule/problem.ts'
import { Bubbles, lagToFirst, mergePlaced, type Placed, type Profile, profileBody } from './profile.ts'
import { transposeObstacle } from './transpose.ts'

/** Encoder work placed greedily into the bubbles that the backbone alone leaves. */
export const optimus: Family = {
  id: 'optimus',
  title: 'encodes placed greedily into the profiled bubbles of the backbone, whole or chunk by chunk',
  source: 'Optimus-like (arXiv 2408.03505): coarse-grained bubble scheduling, then by layers where `chunks` are given',
  apply: measured => {
    const obstacle = transposeObstacle(measured) ?? (measured.regions.length < 2 ? 'no backbone to fill' : undefined)
    if (obstacle) return { kind: 'not-applicable', reason: obstacle }
    const problem = buildProblem(measured)
    const profile = profileBody(measured, problem)
    const placed = placeGreedily(measured, problem, profile)
    return { kind: 'order', measured, problem, sequences: mergePlaced(problem, profile, placed) }
  }
}

/** Consecutive events of one rank: the chunks of a task, or all of it. */
type Chunks = readonly EventId[]

/**
 * Microbatches ascending, their items ascending. An encode takes the bubble in which it ends first among those that deliver
 * its feature in time (ties: lower rank). Where none holds it whole, its chunks take bubbles of one rank one after the
 * other, by the same rule; where that is too late as well, the prefix of the rank whose first forward comes latest after
 * what its prefix already got. Backwards then take the first bubbles after their gradient arrives, chunk by chunk.
 */
function placeGreedily(measured: Measured, problem: Problem, profile: Profile): Placed[] {
  const bubbles = new Bubbles(profile)
  const slack = profile.body.map(events => (events.length > 0 ? profile.start[events[0]] : 0))
  const { find, encodes } = indexEvents(problem)
  const owner = new Map<string, number>()
  const forwards = range(measured.microbatches).flatMap((m): Placed[] => {
    const forward = find('F', 0, m)
    if (forward === undefined) return []
    return byItem(problem, encodes('E', m)).flatMap(chunks => {
      const placed =
        inBubbles(problem, profile, bubbles, chunks, forward, 'whole') ??
        (chunks.length > 1 ? inBubbles(problem, profile, bubbles, chunks, forward, 'chunks') : undefined) ??
        inPrefix(problem, slack, chunks)
      owner.set(taskName(problem.events[chunks[0]].key), placed[0].rank)
      return placed
    })
  })
  const backwards = range(measured.microbatches).flatMap((m): Placed[] => {
    const after = find('B', 0, m)
    if (after === undefined) return []
    return byItem(problem, encodes('EB', m)).flatMap(chunks => {
      const home =
        measured.encoderBackward === 'first-rank' ? 0 : (owner.get(taskName(problem.events[chunks[0]].key)) ?? 0)
      const ready = profile.end[after] + lagToFirst(problem, 'scatter', home)
      const placed = oneByOne(problem, bubbles, chunks, home, ready)
      for (const { id, at } of placed) bubbles.book(home, at, durationOf(problem, id, home))
      return placed
    })
  })
  return [...forwards, ...backwards]
}

function byItem({ events }: Problem, ids: readonly EventId[]): Chunks[] {
  return [...groupBy(ids, id => events[id].key.item).values()]
}

/** The best rank whose bubbles hold a task in time: in one piece, or chunk by chunk. */
function inBubbles(
  problem: Problem,
  profile: Profile,
  bubbles: Bubbles,
  chunks: Chunks,
  forward: EventId,
  how: 'whole' | 'chunks'
): Placed[] | undefined {
  const options = range(problem.ranks).map(rank => {
    const { release } = problem.events[chunks[0]].modes[rank]
    const placed =
      how === 'whole'
        ? inARow(problem, chunks, rank, bubbles.firstFit(rank, release, lengthOf(problem, chunks, rank)))
        : oneByOne(problem, bubbles, chunks, rank, release)
    const last = placed[placed.length - 1]
    return { rank, placed, end: last.at + durationOf(problem, last.id, rank) }
  })
  const timely = options.filter(({ rank, end }) => end + lagToFirst(problem, 'gather', rank) <= profile.start[forward])
  const best = timely.sort((a, b) => a.end - b.end || a.rank - b.rank)[0]
  if (!best) return undefined
  for (const { id, at } of best.placed) bubbles.book(best.rank, at, durationOf(problem, id, best.rank))
  return best.placed
}

function inARow(problem: Problem, chunks: Chunks, rank: number, from: Tick): Placed[] {
  let at = from
  return chunks.map(id => {
    const placed = { id, rank, at }
    at += durationOf(problem, id, rank)
    return placed
  })
}

/** Each chunk in the first bubble behind the one before it. */
function oneByOne(problem: Problem, bubbles: Bubbles, chunks: Chunks, rank: number, from: Tick): Placed[] {
  let ready = from
  return chunks.map(id => {
    const duration = durationOf(problem, id, rank)
    const at = bubbles.firstFit(rank, ready, duration)
    ready = at + duration
    return { id, rank, at }
  })
}

/** A prefix runs before everything else of its rank: its tick is before 0, in order of microbatch. */
function inPrefix(problem: Problem, slack: Tick[], chunks: Chunks): Placed[] {
  const rank = slack.indexOf(Math.max(...slack))
  slack[rank] -= lengthOf(problem, chunks, rank)
  return chunks.map(id => ({ id, rank, at: -1 }))
}

function lengthOf(problem: Problem, chunks: Chunks, rank: number): Tick {
  return sum(chunks.map(id => durationOf(problem, id, rank)))
}

function durationOf(problem: Problem, id: EventId, rank: number): Tick {
  return problem.events[id].modes.find(mode => mode.rank === rank)?.duration ?? 0
}
