import type { Random } from '../../base/random.ts'
import type { Frame } from '../../bounds/frame.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { EventId, Kind, Problem } from '../../schedule/problem.ts'
import type { OrderMemory } from './order-memory.ts'

/** How a list schedule chooses: weights of kinds (lower goes first), and how much chance mixes in. */
export type ListRule = {
  /** Most microbatches in flight on each rank, besides what memory allows (P entries). */
  readonly inFlight: readonly number[]
  /** Whether a ready forward goes before a ready weight part. */
  readonly forwardFirst: boolean
  readonly noise: number
}

/** Kinds in the order in which a rank prefers them when several are ready. */
function classOf(kind: Kind, forwardFirst: boolean): number {
  switch (kind) {
    case 'B':
    case 'I':
      return 0
    case 'F':
      return forwardFirst ? 1 : 2
    case 'E':
      return 3
    case 'W':
      return forwardFirst ? 2 : 1
    default:
      return 4
  }
}

/**
 * Builds an order of everything by simulated time: whenever a rank is free it starts, among what is ready and fits its
 * memory, the best by class, then by longest tail. Returns undefined when it gets stuck (memory).
 */
export function listSchedule(
  problem: Problem,
  frame: Frame,
  memory: OrderMemory,
  rule: ListRule,
  random: Random
): EventId[][] | undefined {
  const run = new ListRun(problem, frame, memory, rule, random)
  return run.finish()
}

type Choice = { readonly event: EventId; readonly rank: number; readonly start: Tick; readonly score: number }

class ListRun {
  readonly order: EventId[][]
  readonly #free: Float64Array
  readonly #bytes: Float64Array
  readonly #flying: Int32Array
  readonly #rankOf: Int32Array
  readonly #end: Float64Array
  readonly #waiting: Int32Array
  readonly #incoming: { readonly from: EventId; readonly lag: number }[][]
  readonly #outgoing: EventId[][]
  readonly #ready = new Set<EventId>()

  constructor(
    readonly problem: Problem,
    readonly frame: Frame,
    readonly memory: OrderMemory,
    readonly rule: ListRule,
    readonly random: Random
  ) {
    const size = problem.events.length
    this.order = Array.from({ length: problem.ranks }, () => [])
    this.#free = new Float64Array(problem.ranks)
    this.#bytes = Float64Array.from(problem.fixed)
    this.#flying = new Int32Array(problem.ranks)
    this.#rankOf = new Int32Array(size).fill(-1)
    this.#end = new Float64Array(size)
    this.#waiting = new Int32Array(size)
    this.#incoming = problem.events.map(() => [])
    this.#outgoing = problem.events.map(() => [])
    for (const { from, to, lag } of problem.edges) {
      this.#incoming[to].push({ from, lag })
      this.#outgoing[from].push(to)
      this.#waiting[to]++
    }
    for (const { id } of problem.events) if (this.#waiting[id] === 0) this.#open(id)
  }

  #open(event: EventId): void {
    if (this.problem.events[event].occupies) this.#ready.add(event)
    else this.#close(event, this.problem.events[event].modes[0].rank, 0)
  }

  #close(event: EventId, rank: number, start: Tick): void {
    const mode = this.problem.events[event].modes.find(one => one.rank === rank)
    this.#rankOf[event] = rank
    this.#end[event] = start + (mode?.duration ?? 0)
    for (const to of this.#outgoing[event]) if (--this.#waiting[to] === 0) this.#open(to)
  }

  finish(): EventId[][] | undefined {
    while (this.#ready.size > 0) {
      const choice = this.#choose()
      if (!choice) return undefined
      this.#run(choice)
    }
    return this.order
  }

  #choose(): Choice | undefined {
    let best: Choice | undefined
    for (const event of this.#ready) {
      for (const mode of this.problem.events[event].modes) {
        if (!this.#allowed(event, mode.rank)) continue
        const start = Math.max(this.#free[mode.rank], mode.release, this.#arrival(event, mode.rank))
        const score = this.#score(event)
        if (!best || start < best.start || (start === best.start && score < best.score))
          best = { event, rank: mode.rank, start, score }
      }
    }
    return best
  }

  #allowed(event: EventId, rank: number): boolean {
    const { key } = this.problem.events[event]
    const twin = this.problem.ties
      .find(tie => tie.events.includes(event))
      ?.events.find(other => other !== event && this.#rankOf[other] >= 0)
    if (twin !== undefined && this.#rankOf[twin] !== rank) return false
    if (key.kind === 'F' && this.#flying[rank] >= this.rule.inFlight[rank]) return false
    return this.#bytes[rank] + this.memory.takes[event] <= (this.problem.capacity[rank] ?? Number.POSITIVE_INFINITY)
  }

  #arrival(event: EventId, rank: number): Tick {
    let latest = 0
    for (const { from, lag } of this.#incoming[event]) {
      const ticks = lag < 0 ? 0 : this.problem.lags[lag][this.#rankOf[from] * this.problem.ranks + rank]
      latest = Math.max(latest, this.#end[from] + ticks)
    }
    return latest
  }

  #score(event: EventId): number {
    const kind = classOf(this.problem.events[event].key.kind, this.rule.forwardFirst)
    const noise = this.rule.noise > 0 ? this.random() * this.rule.noise : 0
    return kind + noise - this.frame.tail[event] / (1 + this.frame.tail[event] + this.frame.head[event]) / 2
  }

  #run({ event, rank, start }: Choice): void {
    const { kind } = this.problem.events[event].key
    this.#ready.delete(event)
    this.order[rank].push(event)
    this.#bytes[rank] += this.memory.takes[event] - this.memory.gives[event]
    if (kind === 'F') this.#flying[rank]++
    if (kind === 'B' || kind === 'I') this.#flying[rank]--
    this.#close(event, rank, start)
    this.#free[rank] = this.#end[event]
  }
}
