import { maximum, range, sum } from '../../base/arrays.ts'
import type { Bound } from '../../schedule/certificate.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { FramedEvent, RecheckFrame } from './frame.ts'

/** Whether a named bound holds when it is worked out again, with the value that came out. */
export type BoundCheck = { readonly confirmed: boolean; readonly detail: string }

/** Each rule, by name: whether no schedule of `ticks - 1` exists by it. Integers throughout. */
const RULES: Readonly<Record<string, (frame: RecheckFrame, ticks: Tick) => BoundCheck>> = {
  'critical-path': (frame, ticks) => compare('the longest chain', frame.longest, ticks),
  'total-load': (frame, ticks) => {
    const work = sum(frame.events.map(event => event.ticks))
    return compare('all compute, shared evenly', Math.ceil(work / frame.rules.measured.ranks), ticks)
  },
  'rank-load': (frame, ticks) => compare('the busiest rank', maximum(loads(frame)), ticks),
  'encode-windows': (frame, ticks) => windowCheck(encodePieces(frame), frame, ticks, roomBefore),
  'backward-windows': (frame, ticks) => windowCheck(backwardPieces(frame), frame, ticks, roomAfter)
}

/** Works a bound out again from the instance, and adds its terms up. */
export function recheckBound(frame: RecheckFrame, bound: Bound): BoundCheck {
  const rule = Object.hasOwn(RULES, bound.name) ? RULES[bound.name] : undefined
  if (!rule) return { confirmed: false, detail: `no rule of this tool is called "${bound.name}"` }
  if (bound.name === 'critical-path' || bound.name === 'rank-load') {
    const total = sum(bound.terms.map(term => term.ticks))
    if (total !== bound.ticks)
      return { confirmed: false, detail: `its terms add up to ${total}, not to ${bound.ticks}` }
  }
  return rule(frame, bound.ticks)
}

/** The strongest bound that these rules give by themselves. */
export function ownBound(frame: RecheckFrame): Tick {
  const work = sum(frame.events.map(event => event.ticks))
  return Math.max(frame.longest, Math.ceil(work / frame.rules.measured.ranks), maximum(loads(frame)))
}

function compare(what: string, value: Tick, claimed: Tick): BoundCheck {
  return { confirmed: value >= claimed, detail: `${what} takes ${value}, claimed ${claimed}` }
}

/** Per rank: its least wait, its own work, and the least that follows it. */
function loads({ events, rules }: RecheckFrame): Tick[] {
  return range(rules.measured.ranks).map(rank => {
    const own = events.filter(event => event.rank === rank)
    if (own.length === 0) return 0
    const first = Math.min(...own.map(event => event.head))
    const last = Math.min(...own.map(event => event.tail - event.ticks))
    return first + sum(own.map(event => event.ticks)) + last
  })
}

/** Work of the schedule's choice that must keep a distance from one end of the step. */
type Piece = { readonly distance: Tick; readonly ticks: Tick }

/** An encode ends before its F must start: as far from the end as that F's tail. */
function encodePieces({ events }: RecheckFrame): Piece[] {
  const tails = new Map(events.filter(e => e.kind === 'F' && e.stage === 0).map(e => [e.microbatch, e.tail]))
  return events
    .filter(event => event.kind === 'E')
    .flatMap(({ microbatch, ticks }) => {
      const distance = tails.get(microbatch)
      return distance === undefined ? [] : [{ distance, ticks }]
    })
}

/** An encoder backward starts after its stage backward: as far from the start as that one's earliest end. */
function backwardPieces({ events }: RecheckFrame): Piece[] {
  const ends = new Map(
    events.filter(e => (e.kind === 'B' || e.kind === 'I') && e.stage === 0).map(e => [e.microbatch, e.head + e.ticks])
  )
  return events
    .filter(event => event.kind === 'EB' && event.rank === undefined)
    .flatMap(({ microbatch, ticks }) => {
      const distance = ends.get(microbatch)
      return distance === undefined ? [] : [{ distance, ticks }]
    })
}

type Room = (frame: RecheckFrame, rank: number, distance: Tick, makespan: Tick) => Tick

/** In a schedule of `ticks - 1`, pieces confined beyond some distance must fit the room that all ranks have there. */
function windowCheck(pieces: readonly Piece[], frame: RecheckFrame, ticks: Tick, room: Room): BoundCheck {
  const makespan = ticks - 1
  for (const distance of new Set(pieces.map(piece => piece.distance))) {
    const demand = sum(pieces.filter(piece => piece.distance >= distance).map(piece => piece.ticks))
    const supply = sum(range(frame.rules.measured.ranks).map(rank => room(frame, rank, distance, makespan)))
    if (demand > supply)
      return {
        confirmed: true,
        detail: `within ${makespan}, ${demand} ticks of encoder work would have to fit ${supply}`
      }
  }
  return { confirmed: false, detail: `within ${makespan} the encoder work fits the room that this rule leaves` }
}

const bodyOf = ({ events }: RecheckFrame, rank: number): FramedEvent[] =>
  events.filter(event => event.rank === rank && event.stage >= 0)

/** Ticks of a rank before the last moment at which an encode may end there. */
function roomBefore(frame: RecheckFrame, rank: number, distance: Tick, makespan: Tick): Tick {
  const { measured, source, firstStageRank } = frame.rules
  const isFirst = rank === firstStageRank
  const until = makespan - distance - (isFirst ? 0 : measured.communication.gather)
  const forced = sum(
    bodyOf(frame, rank).map(({ ticks, tail }) => Math.min(ticks, Math.max(0, until - (makespan - tail))))
  )
  return Math.max(0, until - Math.max(isFirst ? 0 : (source?.broadcast ?? 0), forced))
}

/** Ticks of a rank after the first moment at which an encoder backward may start there. */
function roomAfter(frame: RecheckFrame, rank: number, distance: Tick, makespan: Tick): Tick {
  const { measured, source, firstStageRank } = frame.rules
  const from = distance + (rank === firstStageRank ? 0 : measured.communication.scatter)
  const forced = sum(bodyOf(frame, rank).map(({ ticks, head }) => Math.min(ticks, Math.max(0, head + ticks - from))))
  return Math.max(0, makespan - from - Math.max(source?.reduction ?? 0, forced))
}
