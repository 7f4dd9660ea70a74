import { greatestCommonDivisor, groupBy } from '../base/arrays.ts'
import { fail } from '../base/fault.ts'
import { indexEvents } from '../schedule/body.ts'
import { taskName } from '../schedule/encoder-task.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Edge, Event, EventId, Problem, Sequences } from '../schedule/problem.ts'

/**
 * What encoders know of a problem before they write a row: which events are free, what must precede what, and in which
 * window each event starts if everything ends by the horizon. Times are in units of `unit` ticks, the gcd of all times.
 */
export type Analysis = {
  readonly problem: Problem
  readonly body: Sequences
  readonly unit: Tick
  /** Horizon in units, rounded down. */
  readonly horizon: number
  /** Occupying events that no body fixes, by id. */
  readonly free: readonly EventId[]
  /** Rank of each event that has one mode only, else -1. */
  readonly rankOf: Int32Array
  /** Place of each body event in its rank's body, else -1. */
  readonly position: Int32Array
  /** Events in an order that respects every edge and the body. */
  readonly topological: readonly EventId[]
  readonly rankInTopology: Int32Array
  /** Earliest start, from the longest path with the shortest lags. */
  readonly head: Float64Array
  /** Latest start that lets everything end by the horizon. */
  readonly latest: Float64Array
  /** Whether every window is open; a closed one proves that no schedule ends by the horizon. */
  readonly open: boolean
  readonly incoming: readonly (readonly Edge[])[]
  readonly outgoing: readonly (readonly Edge[])[]
  /** Duration on a rank, in units; NaN where the event has no such mode. */
  readonly duration: (event: EventId, rank: number) => number
  readonly minDuration: (event: EventId) => number
  readonly release: (event: EventId, rank: number) => number
  /** Lag of an edge between two ranks, in units. */
  readonly lag: (edge: Edge, from: number, to: number) => number
  /** Longest known path from the start of an event to the start of every other (-Infinity: none). */
  readonly distancesFrom: (event: EventId) => Float64Array
  /**
   * Where stage events are those of positions of entry: groups of microbatches that are alike in everything. Only they can
   * trade encoder tasks; which of two others enters first is open, whatever their names.
   */
  readonly tradable?: readonly (readonly number[])[]
}

/** Analyses a problem with a fixed body (which may be empty) under a horizon in ticks; `unit` divides all of its times. */
export function analyse(problem: Problem, body: Sequences, horizonTicks: Tick, unit = timeUnit(problem)): Analysis {
  const horizon = Math.floor(horizonTicks / unit)
  const graph = new Graph(problem, body, unit)
  const { head, latest } = graph.windows(horizon)
  const rows = new Map<EventId, Float64Array>()
  return {
    problem,
    body,
    unit,
    horizon,
    free: problem.events.filter(event => event.occupies && graph.position[event.id] < 0).map(event => event.id),
    rankOf: Int32Array.from(problem.events, ({ modes }) => (modes.length === 1 ? modes[0].rank : -1)),
    position: graph.position,
    topological: graph.topological,
    rankInTopology: graph.rankInTopology,
    head,
    latest,
    open: head.every((start, event) => start <= latest[event]),
    incoming: graph.incoming,
    outgoing: graph.outgoing,
    duration: graph.duration,
    minDuration: event => graph.minDuration[event],
    release: graph.release,
    lag: graph.lag,
    distancesFrom: event => {
      const row = rows.get(event) ?? graph.distances(event)
      rows.set(event, row)
      return row
    }
  }
}

/**
 * The same analysis with windows that claim nothing beyond "everything ends by the horizon". Where the real windows are
 * closed, a decision model built on these still holds the whole problem: its UNSAT is then the solver's, not ours.
 */
export function withoutWindows(analysis: Analysis): Analysis {
  const head = new Float64Array(analysis.head.length)
  const latest = head.map((_, event) => analysis.horizon - analysis.minDuration(event))
  return { ...analysis, head, latest, open: latest.every(start => start >= 0) }
}

/** Greatest common divisor of every duration, release and lag; 1 where all are 0. */
export function timeUnit(problem: Problem): Tick {
  let unit = 0
  const join = (value: number) => {
    unit = greatestCommonDivisor(unit, value)
  }
  for (const { modes } of problem.events) {
    for (const { duration, release } of modes) {
      join(duration)
      join(release)
    }
  }
  for (const table of problem.lags) for (const lag of table) join(lag)
  return unit || 1
}

const signatures = new WeakMap<Problem, ReadonlyMap<EventId, string>>()

/**
 * What makes two encodes (or two encoder backwards) alike: their kind and chunk, and the lengths and bytes of every chunk of
 * their task. On one rank, tasks that are alike can trade places chunk by chunk.
 */
export function taskSignature(problem: Problem, event: EventId): string | undefined {
  const known = signatures.get(problem) ?? signaturesOf(problem)
  signatures.set(problem, known)
  return known.get(event)
}

function signaturesOf(problem: Problem): ReadonlyMap<EventId, string> {
  const bytes = new Map<EventId, number[]>()
  for (const hold of problem.holds) bytes.set(hold.from.event, [...(bytes.get(hold.from.event) ?? []), hold.bytes])
  const encodes = problem.events.filter(({ key }) => key.kind === 'E' || key.kind === 'EB')
  const tasks = groupBy(encodes, ({ key }) => `${key.region}/${taskName(key)}`)
  const signatures = new Map<EventId, string>()
  for (const members of tasks.values()) {
    const whole = members
      .map(({ id, key, modes }) =>
        [key.kind, key.chunk, modes.map(mode => mode.duration), bytes.get(id) ?? []].join(':')
      )
      .join(';')
    for (const { id, key } of members) signatures.set(id, `${key.region} ${key.kind} ${key.chunk} ${whole}`)
  }
  return signatures
}

/** First forward stage event and first backward stage event that an encode or its backward hangs on, by microbatch. */
export function entryOf(
  problem: Problem,
  microbatch: number
): { readonly forward?: EventId; readonly backward?: EventId } {
  const index = indexEvents(problem)
  const forward = index.find('F', 0, microbatch)
  const backward = index.find('B', 0, microbatch) ?? index.find('I', 0, microbatch)
  return { ...(forward === undefined ? {} : { forward }), ...(backward === undefined ? {} : { backward }) }
}

/** The known precedences of a problem: edges with their shortest lags, and the body's chains. */
class Graph {
  readonly position: Int32Array
  readonly minDuration: Float64Array
  readonly incoming: Edge[][]
  readonly outgoing: Edge[][]
  readonly topological: EventId[]
  readonly rankInTopology: Int32Array
  readonly #next: Int32Array
  readonly #shortest: Float64Array

  constructor(
    readonly problem: Problem,
    body: Sequences,
    readonly unit: Tick
  ) {
    const { events, edges } = problem
    this.position = new Int32Array(events.length).fill(-1)
    this.#next = new Int32Array(events.length).fill(-1)
    for (const sequence of body) {
      for (const [place, event] of sequence.entries()) {
        this.position[event] = place
        if (place > 0) this.#next[sequence[place - 1]] = event
      }
    }
    this.minDuration = Float64Array.from(events, ({ modes }) => Math.min(...modes.map(mode => mode.duration)) / unit)
    this.incoming = events.map(() => [])
    this.outgoing = events.map(() => [])
    for (const edge of edges) {
      this.outgoing[edge.from].push(edge)
      this.incoming[edge.to].push(edge)
    }
    this.#shortest = Float64Array.from(edges, edge => this.#shortestLag(edge))
    this.topological = this.#sort()
    this.rankInTopology = new Int32Array(events.length)
    for (const [place, event] of this.topological.entries()) this.rankInTopology[event] = place
  }

  readonly duration = (event: EventId, rank: number) => {
    const mode = this.problem.events[event].modes.find(mode => mode.rank === rank)
    return mode ? mode.duration / this.unit : Number.NaN
  }

  readonly release = (event: EventId, rank: number) =>
    (this.problem.events[event].modes.find(mode => mode.rank === rank)?.release ?? 0) / this.unit

  readonly lag = (edge: Edge, from: number, to: number) =>
    edge.lag < 0 ? 0 : this.problem.lags[edge.lag][from * this.problem.ranks + to] / this.unit

  #shortestLag(edge: Edge): number {
    if (edge.lag < 0) return 0
    const [from, to] = [this.problem.events[edge.from], this.problem.events[edge.to]]
    if (from.modes.length > 1 && to.modes.length > 1 && tied(this.problem, from, to)) return 0
    let best = Number.POSITIVE_INFINITY
    for (const { rank } of from.modes)
      for (const mode of to.modes) best = Math.min(best, this.lag(edge, rank, mode.rank))
    return best
  }

  #sort(): EventId[] {
    const waiting = Int32Array.from(this.incoming, edges => edges.length)
    for (const event of this.#next) if (event >= 0) waiting[event]++
    const order = this.problem.events.map(event => event.id).filter(event => waiting[event] === 0)
    for (let i = 0; i < order.length; i++) {
      const next = this.#next[order[i]]
      for (const to of [...this.outgoing[order[i]].map(edge => edge.to), ...(next >= 0 ? [next] : [])])
        if (--waiting[to] === 0) order.push(to)
    }
    if (order.length < this.problem.events.length)
      fail(
        'CYCLE',
        'body',
        undefined,
        'the body order cannot finish',
        'Give a body order that respects the dependencies.'
      )
    return order
  }

  windows(horizon: number): { head: Float64Array; latest: Float64Array } {
    const { events } = this.problem
    const head = Float64Array.from(events, ({ modes }) => Math.min(...modes.map(mode => mode.release)) / this.unit)
    for (const event of this.topological) this.#relax(event, head[event], head)
    const latest = Float64Array.from(events, ({ id }) => horizon - this.minDuration[id])
    for (let i = this.topological.length - 1; i >= 0; i--) {
      const event = this.topological[i]
      for (const edge of this.outgoing[event])
        latest[event] = Math.min(latest[event], latest[edge.to] - this.minDuration[event] - this.#shortest[edge.id])
      const next = this.#next[event]
      if (next >= 0) latest[event] = Math.min(latest[event], latest[next] - this.minDuration[event])
    }
    return { head, latest }
  }

  distances(event: EventId): Float64Array {
    const row = new Float64Array(this.problem.events.length).fill(Number.NEGATIVE_INFINITY)
    row[event] = 0
    for (let i = this.rankInTopology[event]; i < this.topological.length; i++) {
      const from = this.topological[i]
      if (row[from] > Number.NEGATIVE_INFINITY) this.#relax(from, row[from], row)
    }
    return row
  }

  #relax(event: EventId, start: number, times: Float64Array): void {
    const end = start + this.minDuration[event]
    for (const edge of this.outgoing[event]) times[edge.to] = Math.max(times[edge.to], end + this.#shortest[edge.id])
    const next = this.#next[event]
    if (next >= 0) times[next] = Math.max(times[next], end)
  }
}

/** Whether two events must share a rank. */
export function tied(problem: Problem, a: Event, b: Event): boolean {
  return problem.ties.some(({ events }) => events.includes(a.id) && events.includes(b.id))
}
