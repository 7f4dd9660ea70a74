import { range, sum } from '../base/arrays.ts'
import type { Bound } from '../schedule/certificate.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Event } from '../schedule/problem.ts'
import type { Frame } from './frame.ts'

/** Most encodes whose packings are looked at: all ways to share them out are tried. */
const MOST_ENCODES = 10

/**
 * What bounds one rank's room for encodes: earliest first stage event, all stage work, what follows the last of it at least,
 * and how far from the end the first stage event must start so that the ranks fed by it can do their work.
 */
type Room = {
  readonly rank: number
  readonly head: Tick
  readonly work: Tick
  readonly rest: Tick
  readonly firstTail: Tick
}

/**
 * Encodes cannot be cut: on each rank they run before its first stage event or after it, and none after its last, for every
 * microbatch still has stage events there. Before, they have until the first stage event, which other ranks wait for;
 * after, what is left beside the stage work. The bound is the least T in which all encodes can be shared out whole.
 * Holds for any body order; absent where encodes are many.
 */
export function encodePackingBound(frame: Frame): Bound | undefined {
  const { problem, duration } = frame
  const encodes = problem.events.filter(({ key }) => key.kind === 'E')
  if (encodes.length === 0 || encodes.length > MOST_ENCODES) return undefined
  const rooms = roomsOf(frame, encodes)
  if (!rooms) return undefined
  const sizes = encodes.map(({ id }) => duration[id])
  const ticks = leastHorizon(rooms, sizes)
  return {
    kind: 'bound',
    name: 'encode-packing',
    ticks,
    terms: [
      { label: 'encodes that cannot be cut', ticks: sum(sizes), events: encodes.map(({ id }) => id) },
      ...rooms.flatMap(({ rank, head, work, rest }) => [
        { label: `rank ${rank} before its first stage event`, ticks: head, events: [] },
        { label: `rank ${rank} between its stage events`, ticks: Math.max(0, ticks - head - work - rest), events: [] }
      ])
    ]
  }
}

/** The room of every rank; undefined where a rank has no forward of a microbatch that is encoded. */
function roomsOf(frame: Frame, encodes: readonly Event[]): Room[] | undefined {
  const { problem, head, tail, duration } = frame
  const firsts = range(problem.ranks).map(rank => firstForwards(problem.events, rank))
  const encoded = new Set(encodes.map(({ key }) => key.microbatch))
  if (firsts.some(list => [...encoded].some(m => !list.some(({ key }) => key.microbatch === m)))) return undefined
  const plain = range(problem.ranks).map(rank => {
    const own = problem.events.filter(
      ({ key, modes, occupies }) => occupies && key.stage >= 0 && modes[0].rank === rank
    )
    return {
      rank,
      head: Math.min(...own.map(({ id }) => head[id])),
      work: sum(own.map(({ id }) => duration[id])),
      rest: Math.min(...own.map(({ id }) => tail[id] - duration[id]))
    }
  })
  return plain.map(room => {
    const needs = plain.map(other => {
      const distance = other.rank === room.rank ? 0 : distanceBetween(frame, firsts[room.rank], firsts[other.rank])
      return distance === undefined ? 0 : distance + other.work + other.rest
    })
    return { ...room, firstTail: Math.max(...needs) }
  })
}

/** Forwards of the lowest stage on a rank: the first stage event there is one of them. */
function firstForwards(events: readonly Event[], rank: number): Event[] {
  const forwards = events.filter(({ key, modes }) => key.kind === 'F' && modes[0].rank === rank)
  const lowest = Math.min(...forwards.map(({ key }) => key.stage))
  return forwards.filter(({ key }) => key.stage === lowest)
}

/** Ticks at least from the first forward of one rank to that of another downstream; undefined where it is not downstream. */
function distanceBetween({ problem, duration }: Frame, from: readonly Event[], to: readonly Event[]): Tick | undefined {
  const [low, high] = [from[0].key.stage, to[0].key.stage]
  if (low >= high) return undefined
  const distances = from.map(({ id, key }) => {
    let [at, total] = [id, 0]
    for (let stage = low; stage < high; stage++) {
      const edge = problem.edges.find(
        ({ from: source, to: target }) =>
          source === at &&
          problem.events[target].key.kind === 'F' &&
          problem.events[target].key.microbatch === key.microbatch
      )
      if (!edge) return 0
      const [left, right] = [problem.events[at].modes[0].rank, problem.events[edge.to].modes[0].rank]
      total += duration[at] + (edge.lag < 0 ? 0 : problem.lags[edge.lag][left * problem.ranks + right])
      at = edge.to
    }
    return total
  })
  return Math.min(...distances)
}

/** Least T in which the encodes can be shared out; more time never hurts. */
function leastHorizon(rooms: readonly Room[], sizes: readonly Tick[]): Tick {
  const sums = subsetSums(sizes)
  let low = Math.max(...rooms.map(({ head, work, rest }) => head + work + rest))
  if (canPack(rooms, sums, low)) return low
  let high = low + sum(sizes)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (canPack(rooms, sums, middle)) high = middle
    else low = middle
  }
  return high
}

/** Sum of each set of encodes, by bit mask. */
function subsetSums(sizes: readonly Tick[]): Float64Array {
  const sums = new Float64Array(2 ** sizes.length)
  for (const [bit, size] of sizes.entries())
    for (let set = 0; set < 2 ** bit; set++) sums[set + 2 ** bit] = sums[set] + size
  return sums
}

/** Whether all encodes find room within T: set by set, which ones the ranks so far can take. */
function canPack(rooms: readonly Room[], sums: Float64Array, horizon: Tick): boolean {
  let taken = new Uint8Array(sums.length)
  taken[0] = 1
  for (const room of rooms) {
    const fits = fittingSets(room, sums, horizon)
    const next = new Uint8Array(sums.length)
    for (let all = 0; all < sums.length; all++)
      for (let here = all; ; here = (here - 1) & all) {
        if (fits[here] === 1 && taken[all ^ here] === 1) {
          next[all] = 1
          break
        }
        if (here === 0) break
      }
    taken = next
  }
  return taken[sums.length - 1] === 1
}

/** The sets that one rank can take: a part before its first stage event, the rest among its stage work. */
function fittingSets({ head, work, rest, firstTail }: Room, sums: Float64Array, horizon: Tick): Uint8Array {
  const fits = new Uint8Array(sums.length)
  const [latest, idle] = [horizon - firstTail, horizon - rest - work]
  for (let set = 0; set < sums.length; set++)
    for (let early = set; ; early = (early - 1) & set) {
      const first = Math.max(head, sums[early])
      if (first <= latest && first + sums[set ^ early] <= idle) {
        fits[set] = 1
        break
      }
      if (early === 0) break
    }
  return fits
}
