import { maximum, range, sum } from '../../base/arrays.ts'
import type { Bound } from '../../schedule/certificate.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { FramedEvent, RecheckFrame } from './frame.ts'
import { cannotPack } from './packing.ts'
import { blockedLoads, linkLoads } from './transfer-loads.ts'

/** Whether a named bound holds when it is worked out again, with the value that came out. */
export type BoundCheck = { readonly confirmed: boolean; readonly detail: string }

/** Each rule, by name: whether no schedule of `ticks - 1` exists by it. Integers throughout. */
const RULES: Readonly<Record<string, (frame: RecheckFrame, ticks: Tick) => BoundCheck>> = {
  'critical-path': (frame, ticks) => compare('the longest chain', frame.longest, ticks),
  'total-load': (frame, ticks) =>
    compare('all compute and what no rank can use, shared evenly', sharedLoad(frame), ticks),
  'rank-load': (frame, ticks) => compare('the busiest rank', maximum(loads(frame)), ticks),
  'link-load': (frame, ticks) => compare('the busiest link', maximum(linkLoads(frame)), ticks),
  'blocked-rank-load': (frame, ticks) =>
    compare('the rank that computes and transfers most', maximum(blockedLoads(frame)), ticks),
  'encode-windows': (frame, ticks) => windowCheck(encodePieces(frame), frame, ticks, roomBefore),
  'encode-packing': (frame, ticks) => ({
    confirmed: cannotPack(frame, ticks - 1) === true,
    detail: `whole encodes cannot be shared out within ${ticks - 1}`
  }),
  'in-flight': (frame, ticks) => compare('the rank that memory holds up most', maximum(crowdedLoads(frame)), ticks),
  'backward-windows': (frame, ticks) => windowCheck(backwardPieces(frame), frame, ticks, roomAfter)
}

/** Whether some rule shows that no schedule of `ticks - 1` exists. */
export function someRuleReaches(frame: RecheckFrame, ticks: Tick): boolean {
  return Object.values(RULES).some(rule => rule(frame, ticks).confirmed)
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

function compare(what: string, value: Tick, claimed: Tick): BoundCheck {
  return { confirmed: value >= claimed, detail: `${what} takes ${value}, claimed ${claimed}` }
}

/** All work, and per rank the ticks before anything that may run there can start and after it can have ended. */
function sharedLoad({ events, rules }: RecheckFrame): Tick {
  const { ranks } = rules.measured
  const unusable = range(ranks).map(rank => {
    const may = events.filter(event => event.rank === rank || event.rank === undefined)
    if (may.length === 0) return 0
    return Math.min(...may.map(event => event.head)) + Math.min(...may.map(event => event.tail - event.ticks))
  })
  return Math.ceil((sum(events.map(event => event.ticks)) + sum(unusable)) / ranks)
}

/**
 * Per rank without encoder work: its own work, and two idle stretches that memory forces. Before its first backward it runs
 * no more forwards than fit; after its last forward only backwards of what still fits, while that forward's own path to
 * the end goes on elsewhere. Only where every backward releases something, and more forwards than fit.
 */
function crowdedLoads(frame: RecheckFrame): Tick[] {
  const { events, rules } = frame
  if (events.some(event => event.stage < 0)) return []
  return range(rules.measured.ranks).map(rank => {
    const capacity = rules.measured.capacity[rank]
    const own = bodyOf(frame, rank)
    const forwards = own.filter(event => event.kind === 'F')
    const backwards = own.filter(event => event.kind !== 'F')
    if (capacity === undefined || backwards.length === 0) return 0
    const room = capacity - rules.fixedBytes[rank]
    const least = Math.min(...forwards.map(event => rules.stages[event.stage].heldBytes))
    const fit = least > 0 ? Math.floor(room / least) : forwards.length
    if (forwards.length <= fit) return 0
    const opens = Math.min(...backwards.map(event => event.head))
    const starts = Math.min(...own.map(event => event.head))
    const early = opens - Math.min(opens - starts, fit * maximum(forwards.map(event => event.ticks)))
    const after = Math.min(...forwards.map(event => event.tail - event.ticks))
    const most = maximum(forwards.map(event => backwardWithin(frame, event, room)))
    const late = Number.isFinite(most) ? Math.max(0, after - most) : 0
    return sum(own.map(event => event.ticks)) + early + late
  })
}

/** Most whole backward ticks that `room` bytes, all held after forwards like this one, can still stand for. */
function backwardWithin({ events, rules }: RecheckFrame, { stage, microbatch }: FramedEvent, room: number): Tick {
  const { heldBytes, weightBytes, backward } = rules.stages[stage]
  if (!backward) return 0
  const own = events.filter(event => event.stage === stage && event.microbatch === microbatch && event.kind !== 'F')
  const weight = own.find(event => event.kind === 'W')
  const share = (ticks: Tick, bytes: number) => Number((BigInt(room) * BigInt(ticks)) / BigInt(bytes))
  if (heldBytes === 0) return Number.POSITIVE_INFINITY
  const whole = share(sum(own.map(event => event.ticks)), heldBytes)
  if (!weight) return whole
  if (weightBytes === 0 || weightBytes === heldBytes) return Number.POSITIVE_INFINITY
  return Math.max(whole, share(weight.ticks, weightBytes))
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

/** An encode ends before its F must start, and a chunk before the later ones run: as far from the end as its own tail says. */
function encodePieces({ events }: RecheckFrame): Piece[] {
  const fed = new Set(events.filter(e => e.kind === 'F' && e.stage === 0).map(e => e.microbatch))
  return events
    .filter(event => event.kind === 'E' && fed.has(event.microbatch))
    .map(({ tail, ticks }) => ({ distance: tail - ticks, ticks }))
}

/** An encoder backward starts after its stage backward and the chunks before it: as far from the start as its own head. */
function backwardPieces({ events }: RecheckFrame): Piece[] {
  const released = new Set(
    events.filter(e => (e.kind === 'B' || e.kind === 'I') && e.stage === 0).map(e => e.microbatch)
  )
  return events
    .filter(event => event.kind === 'EB' && event.rank === undefined && released.has(event.microbatch))
    .map(({ head, ticks }) => ({ distance: head, ticks }))
}

type Room = (frame: RecheckFrame, rank: number, distance: Tick, makespan: Tick) => Tick

/** In a schedule of `ticks - 1`, pieces confined beyond some distance must fit the room that all ranks have there. */
function windowCheck(pieces: readonly Piece[], frame: RecheckFrame, ticks: Tick, room: Room): BoundCheck {
  const makespan = ticks - 1
  for (const distance of new Set(pieces.map(piece => piece.distance))) {
    const demand = sum(pieces.filter(piece => piece.distance >= distance).map(piece => piece.ticks))
    const rooms = range(frame.rules.measured.ranks).map(rank => room(frame, rank, distance, makespan))
    const supply = sum(rooms.map(ticks => Math.max(0, ticks)))
    const detail = `within ${makespan}, ${demand} ticks of encoder work would have to fit ${supply}`
    // Where no rank has a moment left, not even work of length 0 fits.
    if (demand > supply || rooms.every(ticks => ticks < 0)) return { confirmed: true, detail }
  }
  return { confirmed: false, detail: `within ${makespan} the encoder work fits the room that this rule leaves` }
}

const bodyOf = ({ events }: RecheckFrame, rank: number): FramedEvent[] =>
  events.filter(event => event.rank === rank && event.stage >= 0)

/** Ticks of a rank, negative for none, before the last moment at which an encode may end there. */
function roomBefore(frame: RecheckFrame, rank: number, distance: Tick, makespan: Tick): Tick {
  const { measured, source, firstStageRank } = frame.rules
  const isFirst = rank === firstStageRank
  const until = makespan - distance - (isFirst ? 0 : measured.communication.gather)
  const forced = sum(
    bodyOf(frame, rank).map(({ ticks, tail }) => Math.min(ticks, Math.max(0, until - (makespan - tail))))
  )
  return until - Math.max(isFirst ? 0 : (source?.broadcast ?? 0), forced)
}

/** Ticks of a rank, negative for none, after the first moment at which an encoder backward may start there. */
function roomAfter(frame: RecheckFrame, rank: number, distance: Tick, makespan: Tick): Tick {
  const { measured, source, firstStageRank } = frame.rules
  const from = distance + (rank === firstStageRank ? 0 : measured.communication.scatter)
  const forced = sum(bodyOf(frame, rank).map(({ ticks, head }) => Math.min(ticks, Math.max(0, head + ticks - from))))
  return makespan - from - Math.max(source?.reduction ?? 0, forced)
}
