import { bodyOrder, bodySequences } from '../schedule/body.ts'
import { LAG } from '../schedule/channels.ts'
import { endTicks } from '../schedule/critical-path.ts'
import { evaluate } from '../schedule/evaluate.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../schedule/problem.ts'
import { restrict, restrictSequences } from '../schedule/restrict.ts'

/** Times of a body order when it runs without its encoder, by event id of the full problem; NaN elsewhere. */
export type Profile = { readonly body: Sequences; readonly start: Float64Array; readonly end: Float64Array }

/** An event with the tick that says where it goes among the others of its rank. */
export type Placed = { readonly id: EventId; readonly rank: number; readonly at: Tick }

/** Profiles the body order of an instance. */
export function profileBody(measured: Measured, problem: Problem): Profile {
  const body = bodySequences(problem, bodyOrder(measured))
  const backbone = restrict(problem, event => event.key.kind !== 'E' && event.key.kind !== 'EB')
  const result = evaluate(backbone.problem, restrictSequences(backbone, body))
  if (result.kind === 'cycle') throw new Error('the body order has a cycle')
  const ends = endTicks(backbone.problem, result.schedule)
  const spread = (ticks: Float64Array) => Float64Array.from(backbone.idOf, id => (id < 0 ? Number.NaN : ticks[id]))
  return { body, start: spread(result.schedule.start), end: spread(ends) }
}

/** The body with the placed events merged in by their ticks: each goes before the body events that start no earlier. */
export function mergePlaced(problem: Problem, profile: Profile, placed: readonly Placed[]): Sequences {
  const turn = (one: Placed) => turnOf(problem, one)
  return profile.body.map((body, rank) => {
    const mine = placed.filter(one => one.rank === rank)
    mine.sort((a, b) => a.at - b.at || turn(a) - turn(b) || a.id - b.id)
    const merged: EventId[] = []
    let next = 0
    for (const id of body) {
      while (next < mine.length && precedes(mine[next], turn(mine[next]), profile, id)) merged.push(mine[next++].id)
      merged.push(id)
    }
    return [...merged, ...mine.slice(next).map(one => one.id)]
  })
}

/**
 * Who goes first at one tick: encodes of length 0, for which body events of length 0 may wait; those; what is placed there,
 * which may wait for those; body events of some length.
 */
const TURN = { instantEncode: 0, instantBody: 1, placed: 2, body: 3 } as const

/** Before 0, in the prefix, the order is that of the microbatches alone. */
function turnOf({ events }: Problem, { id, rank, at }: Placed): number {
  const { key, modes } = events[id]
  const instant = modes.some(mode => mode.rank === rank && mode.duration === 0)
  return at >= 0 && key.kind === 'E' && instant ? TURN.instantEncode : TURN.placed
}

function precedes({ at }: Placed, turn: number, { start, end }: Profile, id: EventId): boolean {
  const bodyTurn = end[id] > start[id] ? TURN.body : TURN.instantBody
  return at < start[id] || (at === start[id] && turn < bodyTurn)
}

/** Transfer ticks of a channel between a rank and that of the first stage (rank 0). */
export function lagToFirst(problem: Problem, channel: 'gather' | 'scatter', rank: number): Tick {
  return rank === 0 ? 0 : problem.lags[LAG[channel]][rank * problem.ranks]
}

/** Free time of every rank beside a profile's events; bookings keep what was free from being given twice. */
export class Bubbles {
  readonly #busy: { readonly start: Tick; readonly end: Tick }[][]

  constructor(profile: Profile) {
    this.#busy = profile.body.map(events => events.map(id => ({ start: profile.start[id], end: profile.end[id] })))
  }

  /** First tick at or after `from` at which a rank is free for `duration`. */
  firstFit(rank: number, from: Tick, duration: Tick): Tick {
    let at = from
    for (const { start, end } of this.#busy[rank]) if (end > at && start < at + duration) at = end
    return at
  }

  book(rank: number, start: Tick, duration: Tick): void {
    const busy = this.#busy[rank]
    const index = busy.findIndex(one => one.start > start)
    busy.splice(index < 0 ? busy.length : index, 0, { start, end: start + duration })
  }
}
