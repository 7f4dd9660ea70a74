import { maximum, range, sum } from '../base/arrays.ts'
import type { Bound } from '../schedule/certificate.ts'
import type { Byte, Tick } from '../schedule/measured.ts'
import type { Event, Hold } from '../schedule/problem.ts'
import type { Frame } from './frame.ts'

/** What memory says of one rank: idle ticks that it cannot fill before its first backward and after its last forward. */
type Limits = { readonly rank: number; readonly work: Tick; readonly early: Tick; readonly late: Tick }

/**
 * In-flight limit: a rank whose memory holds n forwards can do no more than those before its first backward can start,
 * and after its last forward only what its memory still holds. Where it has more than n forwards the two stretches are
 * apart, so both idle times add to its work. Body only: not applied where encoder work may fill the gaps.
 */
export function inFlightBound(frame: Frame): Bound | undefined {
  const { problem } = frame
  const encodes = problem.events.some(({ key, modes }) => key.kind === 'E' || key.kind === 'EB' || modes.length > 1)
  if (encodes) return undefined
  const limits = range(problem.ranks)
    .map(rank => limitsOf(frame, rank))
    .filter(limit => limit !== undefined)
  if (limits.length === 0) return undefined
  const worst = limits.reduce((best, limit) => (total(limit) > total(best) ? limit : best))
  return {
    kind: 'bound',
    name: 'in-flight',
    ticks: total(worst),
    terms: [
      {
        label: `rank ${worst.rank} computes`,
        ticks: worst.work,
        events: eventsOn(frame, worst.rank).map(event => event.id)
      },
      { label: `rank ${worst.rank} waits for its first backward`, ticks: worst.early, events: [] },
      { label: `rank ${worst.rank} waits after its last forward`, ticks: worst.late, events: [] }
    ]
  }
}

function total({ work, early, late }: Limits): Tick {
  return work + early + late
}

function eventsOn({ problem }: Frame, rank: number): Event[] {
  return problem.events.filter(event => event.occupies && event.modes[0].rank === rank)
}

function limitsOf(frame: Frame, rank: number): Limits | undefined {
  const { problem, head, tail, duration } = frame
  const capacity = problem.capacity[rank]
  if (capacity === undefined) return undefined
  const room: Byte = capacity - problem.fixed[rank]
  const events = eventsOn(frame, rank)
  const forwards = events.filter(event => event.key.kind === 'F')
  const holds = holdsByForward(frame, rank)
  const perForward = forwards.map(event => sum((holds.get(event.id) ?? []).map(hold => hold.bytes)))
  const least = Math.min(...perForward)
  const backwards = events.filter(event => event.key.kind !== 'F')
  if (!(least > 0) || backwards.length === 0) return undefined
  const most = Math.floor(room / least)
  if (forwards.length <= most) return undefined
  const work = sum(events.map(event => duration[event.id]))
  const first = Math.min(...events.map(event => head[event.id]))
  const firstBackward = Math.min(...backwards.map(event => head[event.id]))
  const early =
    firstBackward - Math.min(firstBackward - first, most * maximum(forwards.map(event => duration[event.id])))
  const after = Math.min(...forwards.map(event => tail[event.id] - duration[event.id]))
  // A backward part that nothing is held for may wait for ever: memory then says nothing of what is left at the end.
  const heldUntil = new Set([...holds.values()].flat().map(hold => hold.until.event))
  const bounded = backwards.every(event => heldUntil.has(event.id))
  const late = bounded ? Math.max(0, after - mostWork(room, frame, holds)) : 0
  return { rank, work, early, late }
}

/** Bytes that outlive their forward on a rank, by forward. */
function holdsByForward({ problem }: Frame, rank: number): Map<number, Hold[]> {
  const holds = new Map<number, Hold[]>()
  for (const hold of problem.holds) {
    const forward = problem.events[hold.from.event]
    if (forward.key.kind !== 'F' || forward.modes[0].rank !== rank || hold.until.event === hold.from.event) continue
    holds.set(hold.from.event, [...(holds.get(hold.from.event) ?? []), hold])
  }
  return holds
}

/**
 * Most backward ticks that the bytes in `room` can stand for: what is still to run of a microbatch is its whole backward,
 * or only the part that its last hold waits for; bytes are shared as if they could be cut. In whole numbers: a quotient
 * that floats just below the next integer would raise the bound by a tick too many.
 */
function mostWork(room: Byte, { duration }: Frame, holds: ReadonlyMap<number, readonly Hold[]>): Tick {
  let most = 0n
  for (const list of holds.values()) {
    const sorted = [...list].sort((a, b) => a.until.event - b.until.event)
    for (const from of sorted.keys()) {
      const rest = sorted.slice(from)
      const ticks = BigInt(sum(rest.map(hold => duration[hold.until.event])))
      const work = (BigInt(room) * ticks) / BigInt(sum(rest.map(hold => hold.bytes)))
      if (work > most) most = work
    }
  }
  return Number(most)
}
