import { compileGraph, durationOn } from '../../schedule/compile.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../../schedule/problem.ts'

/** A piece of work to put into a rank's order: it may start within [release, latest]. */
export type Piece = { readonly release: Tick; readonly duration: Tick; readonly latest: Tick }

/** Start, duration and latest start of events, by id. */
export type Timing = { readonly start: Float64Array; readonly duration: Float64Array; readonly latest: Float64Array }

/**
 * The order of one rank with the earliest starts of its work and how late each may start: room is what fits between, where
 * work that has slack may move back. Mutable on purpose, as is its timing: room is taken piece by piece.
 */
export class RankRoom {
  readonly #events: EventId[]
  readonly #timing: Timing

  constructor(sequence: readonly EventId[], timing: Timing) {
    this.#events = [...sequence]
    this.#timing = timing
  }

  /** First position in the order at which a piece fits; undefined where there is none. */
  find({ release, duration, latest }: Piece): number | undefined {
    for (let at = this.#after(release); at <= this.#events.length; at++) {
      const start = Math.max(release, this.#endBefore(at))
      if (start > latest) return undefined
      if (this.#yields(at, start + duration)) return at
    }
    return undefined
  }

  /** Puts an event where `find` found room for it; returns its end. */
  take(at: number, event: EventId, { release, duration, latest }: Piece): Tick {
    const { start, duration: durations, latest: latests } = this.#timing
    start[event] = Math.max(release, this.#endBefore(at))
    durations[event] = duration
    latests[event] = latest
    let end = start[event] + duration
    for (let next = at; next < this.#events.length && start[this.#events[next]] < end; next++) {
      start[this.#events[next]] = end
      end += durations[this.#events[next]]
    }
    this.#events.splice(at, 0, event)
    return start[event] + duration
  }

  /** The events in their order. */
  sequence(): readonly EventId[] {
    return this.#events
  }

  #endBefore(at: number): Tick {
    return at === 0 ? 0 : this.endOf(this.#events[at - 1])
  }

  /** When an event ends as things stand. */
  endOf(event: EventId): Tick {
    return this.#timing.start[event] + this.#timing.duration[event]
  }

  /** Whether everything from a position on can start at a tick or later. */
  #yields(at: number, tick: Tick): boolean {
    const { start, duration, latest } = this.#timing
    let end = tick
    for (let next = at; next < this.#events.length && start[this.#events[next]] < end; next++) {
      if (end > latest[this.#events[next]]) return false
      end += duration[this.#events[next]]
    }
    return true
  }

  /** First position whose event ends after a tick. */
  #after(tick: Tick): number {
    let [low, high] = [0, this.#events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.endOf(this.#events[middle]) > tick) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** Earliest start of every event, and the longest path from there to the end of the step. */
type Times = { readonly head: Float64Array; readonly tail: Float64Array }

/**
 * The rooms of all ranks in an order that runs as early as it can. Work may move back as far as nothing on another rank
 * has to move with it: what is found on one rank stays true whatever is put on the others.
 */
export function roomsOf(problem: Problem, sequences: Sequences, { head, tail }: Times, horizon: Tick): RankRoom[] {
  const graph = compileGraph(problem)
  const { numEvents, successorStart, successor, successorLag } = graph
  const rankOf = new Int32Array(numEvents).fill(-1)
  for (const [rank, sequence] of sequences.entries()) for (const event of sequence) rankOf[event] = rank
  const timing = { start: head.slice(), duration: new Float64Array(numEvents), latest: new Float64Array(numEvents) }
  for (let event = 0; event < numEvents; event++) {
    const rank = rankOf[event]
    if (rank < 0) continue
    let end = horizon
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
      const to = successor[slot]
      const table = successorLag[slot]
      const lag = table < 0 || rankOf[to] < 0 ? 0 : problem.lags[table][rank * problem.ranks + rankOf[to]]
      const needed = rankOf[to] < 0 ? horizon - tail[to] : head[to] - lag
      if (needed < end) end = needed
    }
    timing.duration[event] = durationOn(graph, event, rank)
    timing.latest[event] = Math.max(head[event], end - timing.duration[event])
  }
  return sequences.map(sequence => new RankRoom(sequence, timing))
}
