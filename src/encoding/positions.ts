import { greatestCommonDivisor, groupBy, range, sum } from '../base/arrays.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Edge, EventId, Hold, Problem, Sequences } from '../schedule/problem.ts'
import { type Analysis, analyse, timeUnit } from './analysis.ts'
import type { Encoded } from './encoded.ts'
import type { Model } from './model/types.ts'
import { isStage, renamed } from './renaming.ts'

/**
 * A problem in which the stage events of microbatch k are those of whichever microbatch enters k-th. Encodes keep their
 * names: instead of an edge from E(m) to F(first stage, m), entry k waits until k + 1 microbatches have arrived.
 */
export type Positions = {
  readonly original: Problem
  /** Same events under the same ids; every stage and kind in order of entry. */
  readonly problem: Problem
  /** Microbatches with encoder work: the edges (of the original) on which they arrive at the first stage. */
  readonly arrivals: ReadonlyMap<number, readonly Edge[]>
  /** F(first stage) by position. */
  readonly entries: readonly EventId[]
}

/**
 * The problem by positions, where that loses nothing: all microbatches are alike but for their encodes, which nothing
 * follows but the first stage. Then sorting the times of each kind and stage keeps every schedule legal (the k-th start
 * waits for the k-th end), and with them the arrivals that the entries wait for
 * (docs/decisions/0005-positions-of-entry.md). Undefined elsewhere.
 */
export function positionsOf(problem: Problem): Positions | undefined {
  const { events, edges, microbatches } = problem
  const encodes = events.filter(event => event.key.kind === 'E')
  if (encodes.length === 0 || events.some(event => event.key.kind === 'EB')) return undefined
  const arrives = edges.filter(edge => events[edge.from].key.kind === 'E' && isStage(events[edge.to]))
  const holds = relevantHolds(problem)
  if (!holds || !areAlike(problem, holds)) return undefined
  const first = Math.min(...events.filter(isStage).map(event => event.key.stage))
  const entries = events.filter(({ key }) => key.kind === 'F' && key.stage === first).map(({ id }) => id)
  if (entries.length !== microbatches || arrives.some(edge => !entries.includes(edge.to))) return undefined
  const arrivals = groupBy(arrives, edge => events[edge.from].key.microbatch)
  return { original: problem, problem: byPosition(problem, holds, arrives, entries), arrivals, entries }
}

/** Holds of stage events, or of an encode while it runs; none where nothing is limited; undefined where outputs wait. */
function relevantHolds({ capacity, holds, events }: Problem): readonly Hold[] | undefined {
  if (capacity.every(limit => limit === undefined)) return []
  const waits = holds.some(
    ({ from, until }) =>
      events[from.event].key.kind === 'E' && (isStage(events[until.event]) || until.arrival !== undefined)
  )
  return waits ? undefined : holds
}

/** Whether all microbatches have the same stage events, durations (where they count) and holds. */
export function areAlike({ events, microbatches }: Problem, holds: readonly Hold[], durations = true): boolean {
  const profiles = range(microbatches).map(() => [] as string[])
  for (const event of events) {
    const { kind, stage, replica, microbatch } = event.key
    const modes = durations ? JSON.stringify(event.modes) : event.modes.map(mode => mode.rank).join()
    if (isStage(event)) profiles[microbatch].push([kind, stage, replica, modes].join('/'))
  }
  for (const { from, until, bytes } of holds) {
    const [first, last] = [events[from.event], events[until.event]]
    const { kind, stage, microbatch } = first.key
    if (isStage(first)) profiles[microbatch].push([kind, stage, from.at, last.key.kind, until.at, bytes].join('/'))
  }
  const [given, ...others] = profiles.map(profile => profile.sort().join())
  return others.every(profile => profile === given)
}

function byPosition(
  problem: Problem,
  holds: readonly Hold[],
  arrives: readonly Edge[],
  entries: readonly EventId[]
): Problem {
  const last = entries[entries.length - 1]
  // By the last entry everything has arrived; what the earlier ones wait for is a count.
  const kept = problem.edges.map(edge => (arrives.includes(edge) ? { ...edge, to: last } : edge))
  const edges = withSequence(kept, stepsByPosition(problem))
  const least = leastArrivals(problem)
  const events = problem.events.map(event => {
    const position = entries.indexOf(event.id)
    if (position < 0) return event
    return { ...event, modes: event.modes.map(mode => ({ ...mode, release: Math.max(mode.release, least[position]) })) }
  })
  return { ...problem, events, edges, holds, symmetric: [range(problem.microbatches)] }
}

/** Every kind and stage in order of position: each event and the next. */
export function stepsByPosition({ events }: Problem): (readonly [from: EventId, to: EventId])[] {
  const chains = groupBy(events.filter(isStage), ({ key }) => [key.kind, key.stage, key.replica].join())
  return [...chains.values()].flatMap(chain => {
    const sorted = [...chain].sort((a, b) => a.key.microbatch - b.key.microbatch)
    return sorted.slice(1).map((event, index) => [sorted[index].id, event.id] as const)
  })
}

/** Edges with pairs of events behind them that follow each other without a lag. */
export function withSequence(edges: readonly Edge[], pairs: readonly (readonly [EventId, EventId])[]): Edge[] {
  const added = pairs.map(([from, to], index): Edge => {
    return { id: edges.length + index, from, to, type: 'sequence', bytes: 0, lag: -1 }
  })
  return [...edges, ...added]
}

/** Earliest tick by which k + 1 microbatches can have arrived, by k: the shortest encodes, shared by all ranks. */
function leastArrivals({ events, microbatches, ranks }: Problem): Tick[] {
  const work = new Array<Tick>(microbatches).fill(0)
  for (const { key, modes } of events)
    if (key.kind === 'E') work[key.microbatch] += Math.min(...modes.map(({ duration }) => duration))
  const longest = events
    .filter(({ key }) => key.kind === 'E')
    .map(({ key, modes }) => ({ m: key.microbatch, ticks: Math.min(...modes.map(({ duration }) => duration)) }))
  const piece = new Array<Tick>(microbatches).fill(0)
  for (const { m, ticks } of longest) piece[m] = Math.max(piece[m], ticks)
  const [sorted, pieces] = [work, piece].map(list => [...list].sort((a, b) => a - b))
  return range(microbatches).map(k => Math.max(pieces[k], Math.ceil(sum(sorted.slice(0, k + 1)) / ranks)))
}

/** Analyses a problem by positions of entry: names open, in units that divide the times of the original as well. */
export function analyseByPosition(
  { problem, original }: Pick<Positions, 'problem' | 'original'>,
  body: Sequences,
  horizon: Tick
): Analysis {
  const unit = greatestCommonDivisor(timeUnit(problem), timeUnit(original))
  return { ...analyse(problem, body, horizon, unit), tradable: original.symmetric }
}

/** A model by positions with the way back to the original's names: who arrives k-th takes position k. */
export function named<M extends Model>(positions: Positions, encoded: Encoded<M>): Encoded<M> {
  const { decode, starts } = encoded
  if (!starts) throw new Error('positions need a model with times')
  return renamed(positions.original, encoded, values => byArrival(positions, decode(values), starts(values)))
}

/** The microbatches in the order in which they have arrived at the first stage. */
function byArrival({ original, arrivals }: Positions, sequences: Sequences, starts: Float64Array): number[] {
  const { events, lags, ranks, microbatches } = original
  const rankOf = Int32Array.from(events, ({ modes }) => modes[0].rank)
  for (const [rank, sequence] of sequences.entries()) for (const event of sequence) rankOf[event] = rank
  const arrival = range(microbatches).map(m =>
    Math.max(
      -1,
      ...(arrivals.get(m) ?? []).map(({ from, to, lag }) => {
        const mode = events[from].modes.find(({ rank }) => rank === rankOf[from]) ?? events[from].modes[0]
        return starts[from] + mode.duration + (lag < 0 ? 0 : lags[lag][mode.rank * ranks + rankOf[to]])
      })
    )
  )
  return range(microbatches).sort((a, b) => arrival[a] - arrival[b] || a - b)
}
