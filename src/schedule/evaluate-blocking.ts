import { type CompiledGraph, compileGraph } from './compile.ts'
import type { Evaluation } from './evaluation.ts'
import type { Tick } from './measured.ts'
import { findCycle, place } from './order-graph.ts'
import type { EdgeId, EventId, Problem, Schedule, Sequences } from './problem.ts'
import { servesBefore, transferTicks } from './wire.ts'

/**
 * How transfers are listed among a given compute order. `transfers-first` and `compute-first` start what can start
 * earliest, and differ in ties; `sends-at-once` lets no rank compute while it has something to send.
 */
const LISTINGS = ['transfers-first', 'compute-first', 'sends-at-once'] as const
type Listing = (typeof LISTINGS)[number]

/**
 * Times an order where every transfer occupies its sender and its receiver. The order says nothing of transfers, so they
 * are listed by three rules, and the shortest result counts: a legal schedule, not the best one for this compute order.
 * @throws FaultError when the order is incomplete
 */
export function evaluateBlocking(problem: Problem, sequences: Sequences): Evaluation {
  const graph = compileGraph(problem)
  const placed = place(problem, graph, sequences)
  let best: Schedule | undefined
  for (const listing of LISTINGS) {
    const run = new BlockingRun(problem, graph, sequences, placed.rankOf, listing)
    if (!run.finish()) return { kind: 'cycle', events: findCycle(problem, sequences, stuckCounts(run, sequences)) }
    const { start, transferStart, makespan } = run
    if (!best || makespan < best.makespan) best = { sequences, rankOf: placed.rankOf, start, transferStart, makespan }
  }
  return { kind: 'schedule', schedule: best as Schedule }
}

/** Open predecessors of every event, the one before it in its rank's sequence included. */
function stuckCounts(run: BlockingRun, sequences: Sequences): Int32Array {
  const counts = run.waiting.slice()
  for (const [rank, sequence] of sequences.entries()) for (const event of sequence.slice(run.at[rank])) counts[event]++
  return counts
}

type Candidate = { readonly start: Tick; readonly transfer?: EdgeId; readonly rank: number }

class BlockingRun {
  readonly start: Float64Array
  readonly transferStart: Float64Array
  makespan: Tick = 0
  /** Dependencies that have not arrived yet, per event. */
  readonly waiting: Int32Array
  /** Next place in the sequence of every rank. */
  readonly at: Int32Array
  readonly #free: Float64Array
  readonly #pending: EdgeId[] = []
  /** When each pending transfer's producer ended. */
  readonly #ready: Float64Array
  readonly #sends: Int32Array

  constructor(
    readonly problem: Problem,
    readonly graph: CompiledGraph,
    readonly sequences: Sequences,
    readonly rankOf: Int32Array,
    readonly listing: Listing
  ) {
    const { modeBase, modeStride, release, numEvents, indegree } = graph
    this.start = Float64Array.from({ length: numEvents }, (_, e) => release[modeBase[e] + modeStride[e] * rankOf[e]])
    this.transferStart = new Float64Array(problem.edges.length).fill(Number.NaN)
    this.waiting = indegree.slice()
    this.at = new Int32Array(problem.ranks)
    this.#free = new Float64Array(problem.ranks)
    this.#ready = new Float64Array(problem.edges.length)
    this.#sends = new Int32Array(problem.ranks)
  }

  /** Whether everything could run. */
  finish(): boolean {
    for (const event of this.problem.events)
      if (!event.occupies && this.graph.indegree[event.id] === 0) this.#end(event.id)
    for (let next = this.#choose(); next; next = this.#choose()) {
      if (next.transfer === undefined) this.#compute(next)
      else this.#move(next.transfer, next.start)
    }
    return this.sequences.every((sequence, rank) => this.at[rank] === sequence.length)
  }

  /** What starts next: the earliest; ties by the listing's preference, then transfers in serving order, then rank. */
  #choose(): Candidate | undefined {
    const compute = this.#nextCompute()
    const transfer = this.#nextTransfer()
    if (!compute || !transfer) return compute ?? transfer
    if (compute.start !== transfer.start) return compute.start < transfer.start ? compute : transfer
    return this.listing === 'compute-first' ? compute : transfer
  }

  #nextCompute(): Candidate | undefined {
    let best: Candidate | undefined
    for (let rank = 0; rank < this.problem.ranks; rank++) {
      if (this.listing === 'sends-at-once' && this.#sends[rank] > 0) continue
      const event = this.sequences[rank][this.at[rank]]
      if (event === undefined || this.waiting[event] > 0) continue
      const start = Math.max(this.#free[rank], this.start[event])
      if (!best || start < best.start) best = { start, rank }
    }
    return best
  }

  #nextTransfer(): Candidate | undefined {
    let best: { start: Tick; transfer: EdgeId; rank: number } | undefined
    for (const id of this.#pending) {
      const { from, to } = this.problem.edges[id]
      const rank = this.rankOf[from]
      const start = Math.max(this.#ready[id], this.#free[rank], this.#free[this.rankOf[to]])
      const sooner = !best || start < best.start
      if (sooner || (best && start === best.start && servesBefore(this.problem, id, best.transfer) < 0))
        best = { start, transfer: id, rank }
    }
    return best
  }

  #compute({ start, rank }: Candidate): void {
    const event = this.sequences[rank][this.at[rank]++]
    this.start[event] = start
    this.#free[rank] = this.#end(event)
  }

  /** Ends an event whose start is known, and passes on what it releases; returns its end. */
  #end(event: EventId): Tick {
    const { modeBase, modeStride, duration, successorStart, successorEdge } = this.graph
    const end = this.start[event] + duration[modeBase[event] + modeStride[event] * this.rankOf[event]]
    if (end > this.makespan) this.makespan = end
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
      const edge = this.problem.edges[successorEdge[slot]]
      if (transferTicks(this.problem, edge, this.rankOf) === 0) this.#arrive(edge.to, end)
      else {
        this.#ready[edge.id] = end
        this.#pending.push(edge.id)
        this.#sends[this.rankOf[event]]++
      }
    }
    return end
  }

  #arrive(event: EventId, at: Tick): void {
    if (at > this.start[event]) this.start[event] = at
    if (--this.waiting[event] === 0 && !this.problem.events[event].occupies) this.#end(event)
  }

  #move(id: EdgeId, start: Tick): void {
    const edge = this.problem.edges[id]
    const [from, to] = [this.rankOf[edge.from], this.rankOf[edge.to]]
    this.#pending.splice(this.#pending.indexOf(id), 1)
    this.#sends[from]--
    this.transferStart[id] = start
    const end = start + transferTicks(this.problem, edge, this.rankOf)
    this.#free[from] = end
    this.#free[to] = end
    this.#arrive(edge.to, end)
  }
}
