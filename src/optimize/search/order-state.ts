import { type CompiledGraph, compileGraph, durationOn, releaseOn } from '../../schedule/compile.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../../schedule/problem.ts'

/**
 * An order under construction: per rank a linked list of the events placed so far, with heads (earliest starts) and tails
 * (longest path from an event's start to the end) of all of them. Events not placed yet take no part. Mutable on
 * purpose: it is the inner loop of the search.
 */
export class OrderState {
  readonly problem: Problem
  readonly graph: CompiledGraph
  readonly head: Float64Array
  readonly tail: Float64Array
  readonly rankOf: Int32Array
  /** Neighbours in the rank's list; `numEvents + rank` is the list's end on both sides. */
  readonly next: Int32Array
  readonly previous: Int32Array
  makespan: Tick = 0
  /** False when the placed events wait for each other in a circle; then heads and tails mean nothing. */
  acyclic = true

  /** Placed predecessors by dependency, per event; kept up to date by insert and remove. */
  readonly #indegree: Int32Array
  readonly #listed: Uint8Array
  readonly #waiting: Int32Array
  readonly #queue: Int32Array

  constructor(problem: Problem, sequences: Sequences) {
    this.problem = problem
    this.graph = compileGraph(problem)
    const size = this.graph.numEvents
    this.head = new Float64Array(size)
    this.tail = new Float64Array(size)
    this.rankOf = new Int32Array(size).fill(-1)
    this.next = new Int32Array(size + problem.ranks)
    this.previous = new Int32Array(size + problem.ranks)
    this.#waiting = new Int32Array(size)
    this.#queue = new Int32Array(size)
    this.#indegree = new Int32Array(size)
    this.#listed = Uint8Array.from(problem.events, event => (event.occupies ? 1 : 0))
    for (let rank = 0; rank < problem.ranks; rank++) this.next[size + rank] = this.previous[size + rank] = size + rank
    for (const event of problem.events) if (!event.occupies) this.#place(event.id, event.modes[0].rank)
    for (const [rank, sequence] of sequences.entries())
      for (const event of sequence) this.insert(event, this.previous[size + rank], rank)
    this.refresh()
  }

  /** Id of the list end of a rank: insert after it to put an event first. */
  endOf(rank: number): number {
    return this.graph.numEvents + rank
  }

  durationOn(event: EventId, rank: number): Tick {
    return durationOn(this.graph, event, rank)
  }

  releaseOn(event: EventId, rank: number): Tick {
    return releaseOn(this.graph, event, rank)
  }

  /** Puts an event into a rank's list behind `after` (an event of that rank, or `endOf(rank)`). Heads and tails go stale. */
  insert(event: EventId, after: number, rank: number): void {
    const following = this.next[after]
    this.next[after] = event
    this.previous[event] = after
    this.next[event] = following
    this.previous[following] = event
    this.#place(event, rank)
  }

  #place(event: EventId, rank: number): void {
    this.rankOf[event] = rank
    this.#count(event, 1)
  }

  #count(event: EventId, change: number): void {
    const { successorStart, successor } = this.graph
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++)
      this.#indegree[successor[slot]] += change
    this.#placed += change
  }

  /** Takes an event out of its list. Heads and tails go stale. */
  remove(event: EventId): void {
    const [before, after] = [this.previous[event], this.next[event]]
    this.next[before] = after
    this.previous[after] = before
    this.rankOf[event] = -1
    this.#count(event, -1)
  }

  /** Recomputes heads, tails and the makespan in one pass each way. */
  refresh(): void {
    const count = this.#forward()
    this.acyclic = count === this.#placed
    if (this.acyclic) this.#backward(count)
  }

  #placed = 0

  #forward(): number {
    const { graph, head, rankOf, next, previous } = this
    const { ranks, lags } = this.problem
    const { numEvents, successorStart, successor, successorLag, modeBase, modeStride, duration, release } = graph
    const waiting = this.#waiting
    const queue = this.#queue
    const listed = this.#listed
    waiting.set(this.#indegree)
    let tail = 0
    for (let event = 0; event < numEvents; event++) {
      const rank = rankOf[event]
      if (rank < 0) continue
      if (listed[event] === 1 && previous[event] < numEvents) waiting[event]++
      head[event] = release[modeBase[event] + modeStride[event] * rank]
      if (waiting[event] === 0) queue[tail++] = event
    }
    let makespan = 0
    for (let at = 0; at < tail; at++) {
      const event = queue[at]
      const rank = rankOf[event]
      const finish = head[event] + duration[modeBase[event] + modeStride[event] * rank]
      if (finish > makespan) makespan = finish
      for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
        const to = successor[slot]
        if (rankOf[to] < 0) continue
        const lag = successorLag[slot]
        const ready = lag < 0 ? finish : finish + lags[lag][rank * ranks + rankOf[to]]
        if (ready > head[to]) head[to] = ready
        if (--waiting[to] === 0) queue[tail++] = to
      }
      if (listed[event] === 0) continue
      const following = next[event]
      if (following >= numEvents) continue
      if (finish > head[following]) head[following] = finish
      if (--waiting[following] === 0) queue[tail++] = following
    }
    this.makespan = makespan
    return tail
  }

  #backward(count: number): void {
    const { graph, tail, rankOf, next } = this
    const { ranks, lags } = this.problem
    const { numEvents, successorStart, successor, successorLag, modeBase, modeStride, duration } = graph
    for (let at = count - 1; at >= 0; at--) {
      const event = this.#queue[at]
      const rank = rankOf[event]
      let rest = 0
      for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
        const to = successor[slot]
        if (rankOf[to] < 0) continue
        const lag = successorLag[slot]
        const through = lag < 0 ? tail[to] : tail[to] + lags[lag][rank * ranks + rankOf[to]]
        if (through > rest) rest = through
      }
      if (this.#listed[event] === 1) {
        const following = next[event]
        if (following < numEvents && tail[following] > rest) rest = tail[following]
      }
      tail[event] = rest + duration[modeBase[event] + modeStride[event] * rank]
    }
  }

  /** Whether an event stands in a rank's list, rather than beside the compute. */
  isListed(event: EventId): boolean {
    return this.#listed[event] === 1
  }

  /** The lists as sequences. */
  sequences(): EventId[][] {
    const lists: EventId[][] = []
    for (let rank = 0; rank < this.problem.ranks; rank++) {
      const list: EventId[] = []
      const end = this.endOf(rank)
      for (let event = this.next[end]; event !== end; event = this.next[event]) list.push(event)
      lists.push(list)
    }
    return lists
  }
}
