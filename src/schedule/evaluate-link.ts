import { MinHeap } from '../base/heap.ts'
import { type CompiledGraph, compileGraph } from './compile.ts'
import type { Evaluation } from './evaluation.ts'
import type { Tick } from './measured.ts'
import { findCycle, place } from './order-graph.ts'
import type { EdgeId, EventId, Problem, Sequences } from './problem.ts'
import { linkOf, servesBefore } from './wire.ts'

/**
 * Times an order where each ordered pair of ranks carries one transfer at a time, first ready first served, ties by
 * microbatch. Simulated in order of time: what a link serves next depends on nothing that happens later.
 * @throws FaultError when the order is incomplete
 */
export function evaluateLink(problem: Problem, sequences: Sequences): Evaluation {
  const graph = compileGraph(problem)
  const { rankOf, next, waiting } = place(problem, graph, sequences)
  const run = new LinkRun(problem, graph, rankOf, next, waiting)
  const done = run.finish()
  if (done < graph.numEvents) return { kind: 'cycle', events: findCycle(problem, sequences, waiting) }
  const { start, transferStart, makespan } = run
  return { kind: 'schedule', schedule: { sequences, rankOf, start, transferStart, makespan } }
}

class LinkRun {
  readonly start: Float64Array
  readonly transferStart: Float64Array
  makespan: Tick = 0
  /** Events that run, by their end. */
  readonly #running = new MinHeap()
  /** When each link has carried what it was given. */
  readonly #free: Float64Array
  /** Transfers that became ready at the current tick. */
  #ready: EdgeId[] = []

  constructor(
    readonly problem: Problem,
    readonly graph: CompiledGraph,
    readonly rankOf: Int32Array,
    readonly next: Int32Array,
    readonly waiting: Int32Array
  ) {
    const { modeBase, modeStride, release, numEvents } = graph
    this.start = Float64Array.from({ length: numEvents }, (_, e) => release[modeBase[e] + modeStride[e] * rankOf[e]])
    this.transferStart = new Float64Array(problem.edges.length).fill(Number.NaN)
    this.#free = new Float64Array(problem.ranks * problem.ranks)
  }

  /** Runs everything that can run; returns how many events ended. */
  finish(): number {
    for (let event = 0; event < this.graph.numEvents; event++) if (this.waiting[event] === 0) this.#run(event)
    let done = 0
    while (this.#running.size > 0) {
      const now = this.#running.least
      // Events of length 0 end at the tick at which they start: all of them go before the links serve anything.
      for (; this.#running.least === now; done++) this.#end(this.#running.pop(), now)
      this.#serve(now)
      this.makespan = now
    }
    return done
  }

  #run(event: EventId): void {
    const { modeBase, modeStride, duration } = this.graph
    this.#running.push(this.start[event] + duration[modeBase[event] + modeStride[event] * this.rankOf[event]], event)
  }

  #arrive(event: EventId, at: Tick): void {
    if (at > this.start[event]) this.start[event] = at
    if (--this.waiting[event] === 0) this.#run(event)
  }

  #end(event: EventId, now: Tick): void {
    const { successorStart, successor, successorLag, successorEdge } = this.graph
    const row = this.rankOf[event] * this.problem.ranks
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
      const lag = successorLag[slot]
      const travels = lag >= 0 && this.problem.lags[lag][row + this.rankOf[successor[slot]]] > 0
      if (travels) this.#ready.push(successorEdge[slot])
      else this.#arrive(successor[slot], now)
    }
    if (this.next[event] >= 0) this.#arrive(this.next[event], now)
  }

  #serve(now: Tick): void {
    const { problem, rankOf } = this
    const ready = this.#ready.sort((a, b) => servesBefore(problem, a, b))
    this.#ready = []
    for (const id of ready) {
      const edge = problem.edges[id]
      const link = linkOf(problem, edge, rankOf)
      this.transferStart[id] = Math.max(now, this.#free[link])
      this.#free[link] = this.transferStart[id] + problem.lags[edge.lag][link]
      this.#arrive(edge.to, this.#free[link])
    }
  }
}
