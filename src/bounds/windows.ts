import type { Bound } from '../schedule/certificate.ts'
import type { Tick } from '../schedule/measured.ts'
import type { EventId } from '../schedule/problem.ts'
import type { Frame } from './frame.ts'

/** Encoder work that must fit one end of the step: how far from that end each piece is confined, and its ticks. */
type Piece = { readonly event: EventId; readonly distance: Tick; readonly ticks: Tick }

/** What one rank can still give: ticks lost to lags and releases at its end of the step, and its body work by distance. */
type Supply = {
  readonly lost: Tick
  readonly ends: Float64Array
  readonly sums: Float64Array
  readonly durations: Float64Array
}

/**
 * Encoder forwards against the room before their deadlines. In a schedule of makespan T, E(m) ends by T - tail(F(first, m)); up to
 * that tick rank r has at most that much time minus the body work that cannot start later. Summed over ranks the room
 * must hold all encodes with deadlines up to then (preemption allowed, so it is a relaxation). A chunk ends earlier still,
 * by the chunks that follow it.
 */
export function encodeWindowBound(frame: Frame): Bound | undefined {
  const { problem, tail } = frame
  const pieces = encodePieces(frame)
  if (pieces.length === 0) return undefined
  const gather = problem.edges.find(edge => edge.channel === 'gather')
  const supplies = frame.body.map((sequence, rank) => {
    const lag =
      gather && gather.lag >= 0
        ? problem.lags[gather.lag][rank * problem.ranks + problem.events[gather.to].modes[0].rank]
        : 0
    const mode = problem.events[pieces[0].event].modes.find(m => m.rank === rank)
    return {
      ...supplyOf(frame, sequence, tail, lag),
      release: mode?.release ?? 0,
      usable: mode !== undefined
    }
  })
  return confinedBound('encode-windows', pieces, supplies)
}

/**
 * Encoder backwards against the room after their releases: the mirror image of `encodeWindowBound`. EB(m) starts no
 * earlier than the head of its release, the replica reduction follows all of them.
 */
export function backwardWindowBound(frame: Frame): Bound | undefined {
  const { problem, head, duration } = frame
  const pieces = backwardPieces(frame)
  if (pieces.length === 0) return undefined
  const reduce = problem.events.find(
    e => e.key.kind === 'Reduce' && problem.regions[e.key.region].layout === 'Replicated'
  )
  const scatter = problem.edges.find(edge => edge.channel === 'scatter')
  const after = reduce ? duration[reduce.id] : 0
  const ends = head.map((ticks, id) => ticks + duration[id])
  const supplies = frame.body.map((sequence, rank) => {
    const lag =
      scatter && scatter.lag >= 0
        ? problem.lags[scatter.lag][problem.events[scatter.from].modes[0].rank * problem.ranks + rank]
        : 0
    return { ...supplyOf(frame, [...sequence].reverse(), ends, lag), release: after, usable: true }
  })
  return confinedBound('backward-windows', pieces, supplies)
}

/** Encodes with the ticks that follow the end of each: the tail of their forward, and the later chunks of their task. */
function encodePieces({ problem: { events, edges }, tail, duration }: Frame): Piece[] {
  const after = new Map<EventId, Tick>()
  for (const { from, to } of edges)
    if (events[from].key.kind === 'E' && events[to].key.kind === 'F') after.set(from, tail[to])
  for (const { from, to } of edges.filter(edge => edge.channel === 'handoff').reverse()) {
    const rest = after.get(to)
    if (events[from].key.kind === 'E' && rest !== undefined) after.set(from, rest + duration[to])
  }
  return [...after].map(([event, distance]) => ({ event, distance, ticks: duration[event] }))
}

/** Encoder backwards with the ticks before the start of each: the head of what releases them, and the chunks before. */
function backwardPieces({ problem: { events, edges }, head, duration }: Frame): Piece[] {
  const before = new Map<EventId, Tick>()
  for (const { from, to, channel } of edges) {
    if (events[to].key.kind !== 'EB' || events[to].modes.length === 1 || events[from].key.kind === 'E') continue
    if (channel !== 'handoff') before.set(to, head[from] + duration[from])
  }
  for (const { from, to, channel } of edges) {
    const ready = before.get(from)
    if (channel === 'handoff' && events[to].key.kind === 'EB' && ready !== undefined)
      before.set(to, ready + duration[from])
  }
  return [...before].map(([event, distance]) => ({ event, distance, ticks: duration[event] }))
}

/** Body work of one rank with its distances from the end (by event; descending along `work`), as prefix sums. */
function supplyOf({ duration }: Frame, work: readonly EventId[], distance: Float64Array, lost: Tick): Supply {
  const [ends, durations] = [new Float64Array(work.length), new Float64Array(work.length)]
  const sums = new Float64Array(work.length + 1)
  for (let index = 0; index < work.length; index++) {
    ends[index] = distance[work[index]]
    durations[index] = duration[work[index]]
    sums[index + 1] = sums[index] + durations[index]
  }
  return { lost, ends, sums, durations }
}

/** Body ticks that must lie further than `distance` from the end: whole pieces, and part of the one that straddles it. */
function forcedBeyond({ ends, sums, durations }: Supply, distance: Tick): Tick {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ends[middle] > distance) low = middle + 1
    else high = middle
  }
  if (low === 0) return 0
  return sums[low - 1] + Math.min(durations[low - 1], ends[low - 1] - distance)
}

/** Least T for which, at every piece's distance, the room of all ranks holds the pieces confined beyond it. */
function confinedBound(
  name: string,
  pieces: readonly Piece[],
  supplies: readonly (Supply & { readonly release: Tick; readonly usable: boolean })[]
): Bound {
  const sorted = [...pieces].sort((a, b) => b.distance - a.distance)
  let best = { ticks: 0, demand: 0, count: 0, offsets: [] as number[] }
  let demand = 0
  for (const [index, piece] of sorted.entries()) {
    demand += piece.ticks
    if (sorted[index + 1]?.distance === piece.distance) continue
    const offsets = supplies
      .filter(s => s.usable)
      .map(s => {
        const distance = piece.distance + s.lost
        return distance + Math.max(s.release, forcedBeyond(s, distance))
      })
    const ticks = leastTotal(offsets, demand)
    if (ticks > best.ticks) best = { ticks, demand, count: index + 1, offsets }
  }
  const confined = sorted.slice(0, best.count).map(piece => piece.event)
  return {
    kind: 'bound',
    name,
    ticks: best.ticks,
    terms: [
      { label: 'encoder work confined', ticks: best.demand, events: confined },
      ...best.offsets.map((ticks, rank) => ({ label: `rank ${rank} not available`, ticks, events: [] }))
    ]
  }
}

/** Least T with sum over r of max(0, T - offset_r) >= demand. */
export function leastTotal(offsets: readonly Tick[], demand: Tick): Tick {
  const sorted = [...offsets].sort((a, b) => a - b)
  let total = 0
  for (let used = 1; used <= sorted.length; used++) {
    total += sorted[used - 1]
    const ticks = Math.ceil((demand + total) / used)
    if (used === sorted.length || ticks <= sorted[used]) return ticks
  }
  return 0
}
