import type { Tick } from '../../src/schedule/measured.ts'
import type { Edge, EventId, Hold, Point, Problem, Schedule, Sequences } from '../../src/schedule/problem.ts'

/**
 * The optimum under any communication model and any memory limit, by walking through time one tick at a time and trying
 * everything that may start, waiting included. States that were reached before are dropped: what can still happen depends
 * on the state alone. Shares nothing with encoders, evaluators or checker. `body` lists the events whose order per rank is
 * fixed; all others are free. Events of length 0 are not supported. Undefined where no schedule exists.
 */
export function searchByTicks(problem: Problem, body: Sequences): Schedule | undefined {
  const walk = new TickWalk(problem, body)
  return walk.run()
}

/** Not begun; or for how many ticks it still runs; done is 0. */
const WAITING = -1
const DONE = 0

/** What is the case at a tick: ticks left of events and transfers, and the ranks that events were put on (-1: none). */
type State = {
  readonly events: Int16Array
  readonly transfers: Int16Array
  readonly ranks: Int8Array
  /** How it came about, for the schedule in the end. */
  readonly before: State | undefined
  readonly at: Tick
}

/** Something that may start: an event on a rank, or (blocking) a transfer. */
type Start = { readonly event: EventId; readonly rank: number } | { readonly transfer: number }

class TickWalk {
  readonly #fixed: ReadonlySet<EventId>
  readonly #into: readonly (readonly Edge[])[]
  readonly #seen = new Set<string>()

  constructor(
    readonly problem: Problem,
    readonly body: Sequences
  ) {
    this.#fixed = new Set(body.flat())
    this.#into = problem.events.map(({ id }) => problem.edges.filter(edge => edge.to === id))
  }

  run(): Schedule | undefined {
    const { events, edges } = this.problem
    let level: State[] = [
      {
        events: new Int16Array(events.length).fill(WAITING),
        transfers: new Int16Array(edges.length).fill(WAITING),
        ranks: Int8Array.from(events, ({ modes }) => (modes.length === 1 ? modes[0].rank : -1)),
        before: undefined,
        at: 0
      }
    ]
    while (level.length > 0) {
      const next: State[] = []
      for (const state of level) {
        for (const begun of this.#choices(state)) {
          if (begun.events.every(left => left === DONE)) return this.#scheduleOf(begun)
          const later = this.#advance(begun)
          const key = [later.events, later.transfers, later.ranks].join('|')
          if (this.#seen.has(key)) continue
          this.#seen.add(key)
          next.push(later)
        }
      }
      level = next
    }
    return undefined
  }

  /** Every way to start things at this tick that memory allows. */
  #choices(state: State): State[] {
    const base = this.#startLoose(state)
    const found: State[] = []
    const open = this.#startable(base)
    const choose = (index: number, current: State, busy: ReadonlySet<number>) => {
      if (index === open.length) {
        if (this.#fits(current)) found.push(current)
        return
      }
      choose(index + 1, current, busy)
      const start = open[index]
      const ranks = this.#ranksOf(current, start)
      if (ranks.some(rank => busy.has(rank))) return
      if ('event' in start && current.events[start.event] !== WAITING) return
      choose(index + 1, this.#begin(current, start), new Set([...busy, ...ranks]))
    }
    choose(0, base, this.#busy(base))
    return found
  }

  /** Broadcast and reductions start as soon as they may. */
  #startLoose(state: State): State {
    const events = state.events.slice()
    for (const { id, occupies, modes } of this.problem.events)
      if (!occupies && events[id] === WAITING && this.#into[id].every(edge => this.#arrived(state, edge)))
        events[id] = modes[0].duration
    return { ...state, events }
  }

  #startable(state: State): Start[] {
    const { events, edges, communication } = this.problem
    const starts: Start[] = events.flatMap(({ id, occupies, modes }) => {
      if (!occupies || state.events[id] !== WAITING) return []
      if (!this.#into[id].every(edge => this.#arrived(state, edge))) return []
      return modes
        .filter(({ rank, release }) => state.at >= release && this.#allowed(state, id, rank))
        .map(({ rank }) => ({ event: id, rank }))
    })
    if (communication !== 'blocking') return starts
    const moves = edges.filter(edge => state.transfers[edge.id] === WAITING && this.#isReady(state, edge))
    return [...starts, ...moves.map(({ id }) => ({ transfer: id }))]
  }

  #allowed(state: State, event: EventId, rank: number): boolean {
    if (this.#fixed.has(event)) return this.body[rank].find(other => state.events[other] === WAITING) === event
    const tie = this.problem.ties.find(({ events }) => events.includes(event))
    return (tie?.events ?? []).every(other => state.ranks[other] < 0 || state.ranks[other] === rank)
  }

  #ranksOf(state: State, start: Start): number[] {
    if ('event' in start) return [start.rank]
    const { from, to } = this.problem.edges[start.transfer]
    return [state.ranks[from], this.#rankOf(state, to)]
  }

  #begin(state: State, start: Start): State {
    if ('transfer' in start) {
      const transfers = state.transfers.slice()
      transfers[start.transfer] = this.#ticks(state, this.problem.edges[start.transfer])
      return { ...state, transfers }
    }
    const [events, ranks] = [state.events.slice(), state.ranks.slice()]
    const mode = this.problem.events[start.event].modes.find(({ rank }) => rank === start.rank)
    events[start.event] = mode?.duration ?? 0
    ranks[start.event] = start.rank
    return { ...state, events, ranks }
  }

  /** One tick passes; what ends hands on, and links take what is ready in the order in which they serve it. */
  #advance(state: State): State {
    const tick = (left: number) => (left > 0 ? left - 1 : left)
    const later = {
      events: state.events.map(tick),
      transfers: state.transfers.map(tick),
      ranks: state.ranks,
      before: state,
      at: state.at + 1
    }
    if (this.problem.communication === 'blocking') return later
    const ended = this.problem.edges.filter(edge => later.transfers[edge.id] === WAITING && this.#isReady(later, edge))
    for (const edge of ended.sort((a, b) => this.#served(a, b)))
      later.transfers[edge.id] = this.#queue(later, edge) + this.#ticks(later, edge)
    return later
  }

  /** How long a link is still taken by what it has been given. */
  #queue(state: State, edge: Edge): Tick {
    if (this.problem.communication === 'latency') return 0
    const link = (one: Edge) => `${state.ranks[one.from]}>${this.#rankOf(state, one.to)}`
    const left = this.problem.edges.filter(other => link(other) === link(edge)).map(other => state.transfers[other.id])
    return Math.max(0, ...left)
  }

  /** Order in which a link serves what is ready at one tick: microbatch, activations first, stage, item. */
  #served(a: Edge, b: Edge): number {
    const key = ({ from, to, type }: Edge) => {
      const [sender, receiver] = [this.problem.events[from].key, this.problem.events[to].key]
      return [sender.microbatch, Number(type === 'gradient'), sender.stage, Math.max(sender.item, receiver.item)]
    }
    const [first, second] = [key(a), key(b)]
    const differs = first.findIndex((value, index) => value !== second[index])
    return differs < 0 ? 0 : first[differs] - second[differs]
  }

  /** Whether an edge needs a transfer whose producer has ended. */
  #isReady(state: State, edge: Edge): boolean {
    return state.events[edge.from] === DONE && this.#ticks(state, edge) > 0
  }

  #arrived(state: State, edge: Edge): boolean {
    if (state.events[edge.from] !== DONE) return false
    return this.#ticks(state, edge) === 0 || state.transfers[edge.id] === DONE
  }

  /** Length of an edge's transfer; 0 where it needs none. */
  #ticks(state: State, { from, to, lag }: Edge): Tick {
    if (lag < 0) return 0
    return this.problem.lags[lag][state.ranks[from] * this.problem.ranks + this.#rankOf(state, to)]
  }

  /** Rank of an event that is placed, tied to one that is, or has one way to run. */
  #rankOf(state: State, event: EventId): number {
    if (state.ranks[event] >= 0) return state.ranks[event]
    const tie = this.problem.ties.find(({ events }) => events.includes(event))
    return tie?.events.map(other => state.ranks[other]).find(rank => rank >= 0) ?? -1
  }

  #busy(state: State): Set<number> {
    const { events, edges, communication } = this.problem
    const busy = new Set(
      events.filter(({ id, occupies }) => occupies && state.events[id] > 0).map(({ id }) => state.ranks[id])
    )
    if (communication !== 'blocking') return busy
    for (const { id, from, to } of edges)
      if (state.transfers[id] > 0) busy.add(state.ranks[from]).add(this.#rankOf(state, to))
    return busy
  }

  /** Whether what is held from this tick on is within every rank's capacity. */
  #fits(state: State): boolean {
    const { capacity, fixed, holds } = this.problem
    if (capacity.every(limit => limit === undefined)) return true
    const bytes = [...fixed]
    for (const hold of holds)
      if (this.#past(state, hold.from) && !this.#past(state, hold.until)) bytes[this.#holder(state, hold)] += hold.bytes
    return capacity.every((limit, rank) => limit === undefined || bytes[rank] <= limit)
  }

  #past(state: State, { event, at, arrival }: Point): boolean {
    if (arrival !== undefined) return this.#arrived(state, this.problem.edges[arrival])
    return at === 'start' ? state.events[event] !== WAITING : state.events[event] === DONE
  }

  #holder(state: State, { where }: Hold): number {
    return 'rank' in where ? where.rank : state.ranks[where.rankOf]
  }

  /** The way to a state as a schedule. */
  #scheduleOf(last: State): Schedule {
    const { events, edges } = this.problem
    const start = new Float64Array(events.length).fill(Number.NaN)
    const transferStart = new Float64Array(edges.length).fill(Number.NaN)
    for (let state: State | undefined = last; state; state = state.before) {
      for (const { id } of events) if (state.events[id] !== WAITING) start[id] = state.at - this.#ran(state, id)
      for (const edge of edges)
        if (state.transfers[edge.id] > 0)
          transferStart[edge.id] = state.at + state.transfers[edge.id] - this.#ticks(state, edge)
    }
    const sequences = this.body.map((_, rank) =>
      events
        .filter(({ id, occupies }) => occupies && last.ranks[id] === rank)
        .map(({ id }) => id)
        .sort((a, b) => start[a] - start[b])
    )
    const schedule = { sequences, rankOf: Int32Array.from(last.ranks), start, makespan: last.at }
    return this.problem.communication === 'latency' ? schedule : { ...schedule, transferStart }
  }

  /** For how long an event has run at a state, as far as the state tells. */
  #ran(state: State, id: EventId): Tick {
    const mode = this.problem.events[id].modes.find(({ rank }) => rank === state.ranks[id])
    return (mode?.duration ?? 0) - state.events[id]
  }
}
