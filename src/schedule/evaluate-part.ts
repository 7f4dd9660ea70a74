import { type CompiledGraph, compileGraph } from './compile.ts'
import type { Tick } from './measured.ts'
import type { Event, EventId, Problem, Sequences } from './problem.ts'

/** Which part of an order is timed. */
export type Part = {
  /** Events that take part; all where absent. */
  readonly keep?: (event: Event) => boolean
  /** Events whose successors do not wait for them (except the next one on their rank). */
  readonly mute?: (event: Event) => boolean
  /** Whether releases count; true where absent. */
  readonly releases?: boolean
}

/** Starts by event id (events left out have 0) and the makespan of a part of an order. */
export type PartialTiming = { readonly start: Float64Array; readonly makespan: Tick; readonly sequences: Sequences }

/**
 * Longest path through part of an order: left-out events take no time and hold nobody up. Latency communication; the order
 * must have no cycle.
 */
export function evaluatePart(problem: Problem, sequences: Sequences, part: Part = {}): PartialTiming {
  const graph = compileGraph(problem)
  const kept = problem.events.map(event => part.keep?.(event) ?? true)
  const muted = problem.events.map(event => part.mute?.(event) ?? false)
  const order = sequences.map(sequence => sequence.filter(event => kept[event]))
  const rankOf = new Int32Array(graph.numEvents).fill(-1)
  for (const { id, occupies, modes } of problem.events) if (!occupies && kept[id]) rankOf[id] = modes[0].rank
  for (const [rank, sequence] of order.entries()) for (const event of sequence) rankOf[event] = rank
  const walk = new PartWalk(problem, graph, rankOf, followers(order, graph.numEvents), muted)
  return { ...walk.run(part.releases ?? true), sequences: order }
}

function followers(order: Sequences, size: number): Int32Array {
  const next = new Int32Array(size).fill(-1)
  for (const sequence of order)
    for (let index = 1; index < sequence.length; index++) next[sequence[index - 1]] = sequence[index]
  return next
}

class PartWalk {
  readonly #start: Float64Array
  readonly #waiting: Int32Array
  readonly #queue: EventId[] = []

  constructor(
    readonly problem: Problem,
    readonly graph: CompiledGraph,
    readonly rankOf: Int32Array,
    readonly next: Int32Array,
    readonly muted: readonly boolean[]
  ) {
    this.#start = new Float64Array(graph.numEvents)
    this.#waiting = new Int32Array(graph.numEvents)
  }

  run(releases: boolean): { start: Float64Array; makespan: Tick } {
    const { graph, rankOf, next } = this
    const { modeBase, modeStride, release, duration } = graph
    this.#eachArc((_, to) => this.#waiting[to]++)
    for (const to of next) if (to >= 0) this.#waiting[to]++
    for (let event = 0; event < graph.numEvents; event++) {
      if (rankOf[event] < 0) continue
      if (releases) this.#start[event] = release[modeBase[event] + modeStride[event] * rankOf[event]]
      if (this.#waiting[event] === 0) this.#queue.push(event)
    }
    let makespan = 0
    for (let index = 0; index < this.#queue.length; index++) {
      const event = this.#queue[index]
      const finish = this.#start[event] + duration[modeBase[event] + modeStride[event] * rankOf[event]]
      if (finish > makespan) makespan = finish
      this.#arcsOf(event, (to, lag) => this.#reach(to, finish + lag))
      if (next[event] >= 0) this.#reach(next[event], finish)
    }
    return { start: this.#start, makespan }
  }

  #reach(event: EventId, ready: Tick): void {
    if (ready > this.#start[event]) this.#start[event] = ready
    if (--this.#waiting[event] === 0) this.#queue.push(event)
  }

  #eachArc(visit: (from: EventId, to: EventId) => void): void {
    for (let event = 0; event < this.graph.numEvents; event++) {
      if (this.rankOf[event] >= 0) this.#arcsOf(event, to => visit(event, to))
    }
  }

  #arcsOf(event: EventId, visit: (to: EventId, lag: Tick) => void): void {
    if (this.muted[event]) return
    const { successorStart, successor, successorLag } = this.graph
    const { lags, ranks } = this.problem
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
      const to = successor[slot]
      if (this.rankOf[to] < 0) continue
      const lag = successorLag[slot]
      visit(to, lag < 0 ? 0 : lags[lag][this.rankOf[event] * ranks + this.rankOf[to]])
    }
  }
}
