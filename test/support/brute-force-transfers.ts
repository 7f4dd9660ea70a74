import type { Tick } from '../../src/schedule/measured.ts'
import type { EdgeId, EventId, Problem, Sequences } from '../../src/schedule/problem.ts'

/**
 * The optimum under a communication model without memory limits, by building schedules item by item in every order: a
 * compute event, or (blocking) a transfer, each as early as what is built allows. Of two partial schedules with the same
 * items on the same ranks, one that is later everywhere is dropped. Shares nothing with the evaluators. `body` lists the
 * events whose order per rank is fixed; all others are free. Events of length 0 are not supported under `link` (ties).
 */
export function bruteForceTransfers(problem: Problem, body: Sequences): Tick {
  const search = new TransferSearch(problem, body)
  search.run(search.initial())
  return search.best
}

type State = {
  readonly place: number[]
  readonly next: number[]
  readonly free: Tick[]
  readonly link: Tick[]
  /** Latest arrival so far, and how many inputs are missing, per event. */
  readonly arrival: Tick[]
  readonly missing: number[]
  readonly pending: { readonly edge: EdgeId; readonly ready: Tick }[]
  readonly latest: Tick
}

class TransferSearch {
  best = Number.POSITIVE_INFINITY
  readonly #seen = new Map<string, number[][]>()
  readonly #fixed: ReadonlySet<EventId>

  constructor(
    readonly problem: Problem,
    readonly body: Sequences
  ) {
    this.#fixed = new Set(body.flat())
  }

  initial(): State {
    const { events, edges, ranks } = this.problem
    const missing = events.map(({ id }) => edges.filter(edge => edge.to === id).length)
    const loose = events.filter(event => !event.occupies && missing[event.id] === 0)
    return {
      place: events.map(() => -1),
      next: this.body.map(() => 0),
      free: Array.from({ length: ranks }, () => 0),
      link: Array.from({ length: ranks * ranks }, () => 0),
      arrival: events.map(() => 0),
      missing,
      pending: [],
      latest: Math.max(0, ...loose.map(event => event.modes[0].duration))
    }
  }

  run(state: State): void {
    if (state.latest >= this.best || this.#dominated(state)) return
    const open = this.problem.events.filter(event => event.occupies && state.place[event.id] < 0)
    if (open.length === 0 && state.pending.length === 0) {
      this.best = state.latest
      return
    }
    const followers: State[] = []
    for (const { edge } of state.pending) followers.push(this.#move(state, edge))
    for (const { id, modes } of open) {
      if (state.missing[id] > 0) continue
      for (const { rank } of modes) if (this.#allowed(state, id, rank)) followers.push(this.#compute(state, id, rank))
    }
    followers.sort((a, b) => a.latest - b.latest)
    for (const follower of followers) this.run(follower)
  }

  #allowed(state: State, event: EventId, rank: number): boolean {
    if (this.#fixed.has(event)) return this.body[rank][state.next[rank]] === event
    const tie = this.problem.ties.find(({ events }) => events.includes(event))
    return (tie?.events ?? []).every(other => state.place[other] < 0 || state.place[other] === rank)
  }

  #compute(state: State, event: EventId, rank: number): State {
    const copy = this.#copy(state)
    const mode = this.problem.events[event].modes.find(one => one.rank === rank)!
    const start = Math.max(copy.free[rank], copy.arrival[event], mode.release)
    copy.place[event] = rank
    copy.free[rank] = start + mode.duration
    if (this.#fixed.has(event)) copy.next[rank]++
    return this.#finish(copy, event, rank, start + mode.duration)
  }

  #finish(state: State, event: EventId, rank: number, end: Tick): State {
    let latest = Math.max(state.latest, end)
    for (const edge of this.problem.edges.filter(one => one.from === event)) {
      const target = this.problem.events[edge.to]
      // An encoder backward that is tied to a rank already chosen, or anything with one mode.
      const tie = this.problem.ties.find(({ events }) => events.includes(edge.to))
      const tied = tie?.events.map(other => state.place[other]).find(chosen => chosen >= 0)
      const to = tied ?? target.modes[0].rank
      const ticks = edge.lag < 0 ? 0 : this.problem.lags[edge.lag][rank * this.problem.ranks + to]
      if (ticks > 0 && this.problem.communication === 'blocking') {
        state.pending.push({ edge: edge.id, ready: end })
        continue
      }
      const link = rank * this.problem.ranks + to
      const queues = ticks > 0 && this.problem.communication === 'link'
      const arrived = (queues ? Math.max(end, state.link[link]) : end) + ticks
      if (queues) state.link[link] = arrived
      latest = Math.max(latest, this.#arrive(state, edge.to, arrived))
    }
    return { ...state, latest }
  }

  #move(state: State, id: EdgeId): State {
    const copy = this.#copy(state)
    const { from, to, lag } = this.problem.edges[id]
    const at = copy.pending.findIndex(({ edge }) => edge === id)
    const [{ ready }] = copy.pending.splice(at, 1)
    const sender = copy.place[from]
    const tie = this.problem.ties.find(({ events }) => events.includes(to))
    const receiver =
      tie?.events.map(e => copy.place[e]).find(rank => rank >= 0) ?? this.problem.events[to].modes[0].rank
    const end =
      Math.max(ready, copy.free[sender], copy.free[receiver]) +
      this.problem.lags[lag][sender * this.problem.ranks + receiver]
    copy.free[sender] = end
    copy.free[receiver] = end
    const latest = Math.max(copy.latest, this.#arrive(copy, to, end))
    return { ...copy, latest }
  }

  /** Notes an arrival; a reduction whose inputs are all there ends then. */
  #arrive(state: State, event: EventId, at: Tick): Tick {
    state.arrival[event] = Math.max(state.arrival[event], at)
    state.missing[event]--
    const { occupies, modes } = this.problem.events[event]
    return occupies || state.missing[event] > 0 ? 0 : state.arrival[event] + modes[0].duration
  }

  #copy(state: State): State {
    return {
      ...state,
      place: [...state.place],
      next: [...state.next],
      free: [...state.free],
      link: [...state.link],
      arrival: [...state.arrival],
      missing: [...state.missing],
      pending: [...state.pending]
    }
  }

  #dominated(state: State): boolean {
    const pending = [...state.pending].sort((a, b) => a.edge - b.edge)
    const key = `${state.place.join()}|${pending.map(({ edge }) => edge).join()}`
    const open = state.arrival.filter((_, event) => state.place[event] < 0)
    const times = [...state.free, ...state.link, ...open, ...pending.map(({ ready }) => ready), state.latest]
    const known = this.#seen.get(key) ?? []
    if (known.some(other => other.every((tick, index) => tick <= times[index]))) return true
    this.#seen.set(key, [...known.filter(other => !other.every((tick, i) => tick >= times[i])), times])
    return false
  }
}
