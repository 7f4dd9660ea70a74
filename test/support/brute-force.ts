import type { Tick } from '../../src/schedule/measured.ts'
import type { EventId, Hold, Point, Problem, Sequences } from '../../src/schedule/problem.ts'

/** An extra "moment b is at or after moment a". */
type Order = { readonly before: Point; readonly after: Point }

/**
 * The optimum of `placement` by enumeration that shares nothing with encoders or evaluator: free events are inserted one by
 * one at every place of every rank's sequence; a partial order that already lasts as long as the best known one, or that
 * must overflow memory, is cut. Where the left-shifted times of a complete order overflow, it branches on which of the holds
 * that meet there waits for which (delays can help memory), so every schedule with any bubbles is covered.
 */
export function bruteForcePlacement(problem: Problem, body: Sequences, below: Tick): Tick | undefined {
  const search = new Search(problem, body, below)
  if (search.eachFitsAlone()) search.insert(0)
  return search.best < below ? search.best : undefined
}

class Search {
  best: Tick
  readonly #sequences: EventId[][]
  readonly #rankOf: number[]
  readonly #free: EventId[]
  readonly #floor: Tick

  constructor(
    readonly problem: Problem,
    body: Sequences,
    below: Tick
  ) {
    this.best = below
    this.#sequences = body.map(sequence => [...sequence])
    this.#rankOf = problem.events.map(event => (event.modes.length === 1 ? event.modes[0].rank : -1))
    const placed = new Set(body.flat())
    for (const [rank, sequence] of body.entries()) for (const event of sequence) this.#rankOf[event] = rank
    const microbatch = (event: EventId) => problem.events[event].key.microbatch
    this.#free = problem.events
      .filter(event => event.occupies && !placed.has(event.id))
      .map(event => event.id)
      .sort((a, b) => microbatch(a) - microbatch(b) || a - b)
    this.#floor = this.#times([])?.makespan ?? 0
  }

  /** Whether every free event has a place when it comes alone; if not, no order has one for it. */
  eachFitsAlone(): boolean {
    return this.#free.every(event =>
      this.problem.events[event].modes.some(({ rank }) => {
        const chose = this.#rankOf[event]
        this.#rankOf[event] = rank
        const sequence = this.#sequences[rank]
        const fits = [...sequence, -1].some((_, place) => {
          sequence.splice(place, 0, event)
          const open = this.#times([]) !== undefined && !this.#mustOverflow(rank)
          sequence.splice(place, 1)
          return open
        })
        this.#rankOf[event] = chose
        return fits
      })
    )
  }

  insert(index: number): void {
    if (this.best <= this.#floor) return
    if (index === this.#free.length) {
      this.#settle([])
      return
    }
    const event = this.#free[index]
    for (const rank of this.#ranksFor(event)) {
      const chose = this.#rankOf[event]
      this.#rankOf[event] = rank
      for (let place = 0; place <= this.#sequences[rank].length; place++) {
        this.#sequences[rank].splice(place, 0, event)
        const times = this.#times([])
        if (times && times.makespan < this.best && !this.#mustOverflow(rank)) this.insert(index + 1)
        this.#sequences[rank].splice(place, 1)
      }
      this.#rankOf[event] = chose
    }
  }

  #ranksFor(event: EventId): number[] {
    const tie = this.problem.ties.find(({ events }) => events.includes(event))
    const chosen = tie?.events.map(other => this.#rankOf[other]).find(rank => rank >= 0)
    return chosen === undefined ? this.problem.events[event].modes.map(mode => mode.rank) : [chosen]
  }

  /** Left-shifted times; undefined where the order cannot finish. Unplaced events only keep their dependencies. */
  #times(extra: readonly Order[]): { start: Float64Array; makespan: Tick } | undefined {
    const { events, edges } = this.problem
    const start = Float64Array.from(events, event => this.#release(event.id))
    for (let pass = 0; pass <= events.length + 1; pass++) {
      let moved = false
      const push = (event: EventId, at: Tick) => {
        if (at <= start[event]) return
        start[event] = at
        moved = true
      }
      for (const edge of edges) push(edge.to, start[edge.from] + this.#duration(edge.from) + this.#lag(edge.id))
      for (const sequence of this.#sequences)
        for (let i = 1; i < sequence.length; i++)
          push(sequence[i], start[sequence[i - 1]] + this.#duration(sequence[i - 1]))
      for (const { before, after } of extra)
        push(after.event, start[before.event] + this.#offset(before) - this.#offset(after))
      if (!moved) return { start, makespan: Math.max(0, ...events.map(({ id }) => start[id] + this.#duration(id))) }
    }
    return undefined
  }

  #mode(event: EventId) {
    const { modes } = this.problem.events[event]
    return modes.find(mode => mode.rank === this.#rankOf[event])
  }

  #release(event: EventId): Tick {
    return this.#mode(event)?.release ?? Math.min(...this.problem.events[event].modes.map(mode => mode.release))
  }

  #duration(event: EventId): Tick {
    return this.#mode(event)?.duration ?? Math.min(...this.problem.events[event].modes.map(mode => mode.duration))
  }

  #lag(edge: number): Tick {
    const { from, to, lag } = this.problem.edges[edge]
    const [a, b] = [this.#rankOf[from], this.#rankOf[to]]
    return lag < 0 || a < 0 || b < 0 ? 0 : this.problem.lags[lag][a * this.problem.ranks + b]
  }

  #offset({ event, at, arrival }: Point): Tick {
    return (at === 'end' ? this.#duration(event) : 0) + (arrival === undefined ? 0 : this.#lag(arrival))
  }

  #rankOfHold({ where }: Hold): number {
    return 'rank' in where ? where.rank : this.#rankOf[where.rankOf]
  }

  /** Whether events of positive length on the rank stand between the two ends of too many bytes, whatever comes later. */
  #mustOverflow(rank: number): boolean {
    const capacity = this.problem.capacity[rank]
    if (capacity === undefined) return false
    const place = new Map(this.#sequences[rank].map((event, index) => [event, index]))
    const spans = this.problem.holds.flatMap(hold => {
      const [from, until] = [place.get(hold.from.event), place.get(hold.until.event)]
      const plain = hold.from.arrival === undefined && hold.until.arrival === undefined
      if (this.#rankOfHold(hold) !== rank || from === undefined || until === undefined || !plain) return []
      const first = hold.from.at === 'start' ? from : from + 1
      const last = hold.until.at === 'end' ? until : until - 1
      return [{ first, last, bytes: hold.bytes }]
    })
    return this.#sequences[rank].some((event, index) => {
      if (this.#duration(event) === 0) return false
      let bytes = this.problem.fixed[rank]
      for (const span of spans) if (span.first <= index && index <= span.last) bytes += span.bytes
      return bytes > capacity
    })
  }

  /** A complete order: takes its makespan if memory allows, else branches on the holds that meet where it overflows. */
  #settle(extra: readonly Order[]): void {
    const times = this.#times(extra)
    if (!times || times.makespan >= this.best) return
    const meeting = this.#overflow(times.start)
    if (!meeting) {
      this.best = times.makespan
      return
    }
    for (const a of meeting) for (const b of meeting) this.#settle([...extra, { before: a.until, after: b.from }])
  }

  /** Holds that meet at some overflow, or undefined. */
  #overflow(start: Float64Array): Hold[] | undefined {
    const at = (point: Point) => start[point.event] + this.#offset(point)
    for (const [rank, capacity] of this.problem.capacity.entries()) {
      if (capacity === undefined) continue
      if (this.problem.fixed[rank] > capacity) return []
      const here = this.problem.holds.filter(hold => this.#rankOfHold(hold) === rank && at(hold.from) < at(hold.until))
      for (const { from } of here) {
        const active = here.filter(hold => at(hold.from) <= at(from) && at(from) < at(hold.until))
        const bytes = active.reduce((total, hold) => total + hold.bytes, this.problem.fixed[rank])
        if (bytes > capacity) return active
      }
    }
    return undefined
  }
}
