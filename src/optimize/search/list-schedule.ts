import type { Frame } from '../../bounds/frame.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { EventId, Kind, Problem } from '../../schedule/problem.ts'
import type { OrderMemory } from './order-memory.ts'

/** How a list schedule chooses. */
export type ListRule = {
  /** Most microbatches in flight on each rank, besides what memory allows (P entries). */
  readonly inFlight: readonly number[]
  /** Whether a ready forward goes before a ready weight part. */
  readonly forwardFirst: boolean
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
  rule: ListRule
): EventId[][] | undefined {
  return new ListRun(problem, frame, memory, rule).finish()
}

/** What a rank would start next. `turn`: how many events had become ready before it, which settles ties. */
type Choice = {
  readonly event: EventId
  readonly rank: number
  readonly start: Tick
  readonly score: number
  readonly turn: number
}

function isBefore(a: Choice, b: Choice): boolean {
  if (a.start !== b.start) return a.start < b.start
  return a.score !== b.score ? a.score < b.score : a.turn < b.turn
}

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
  /** Ready events by rank; one that may run on several ranks stands with each. */
  readonly #ready: Set<EventId>[]
  /** What each rank would start next, kept until something that it rests on changes. */
  readonly #next: (Choice | undefined)[]
  readonly #stale: Uint8Array
  readonly #turn: Int32Array
  readonly #twins: readonly (readonly EventId[] | undefined)[]
  #opened = 0

  constructor(
    readonly problem: Problem,
    readonly frame: Frame,
    readonly memory: OrderMemory,
    readonly rule: ListRule
  ) {
    const size = problem.events.length
    this.order = Array.from({ length: problem.ranks }, () => [])
    this.#ready = this.order.map(() => new Set())
    this.#next = this.order.map(() => undefined)
    this.#stale = new Uint8Array(problem.ranks).fill(1)
    this.#turn = new Int32Array(size)
    this.#twins = twinsOf(problem)
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
    const { occupies, modes } = this.problem.events[event]
    this.#turn[event] = this.#opened++
    if (occupies) {
      for (const { rank } of modes) {
        this.#ready[rank].add(event)
        this.#stale[rank] = 1
      }
    } else this.#close(event, this.problem.events[event].modes[0].rank, 0)
  }

  #close(event: EventId, rank: number, start: Tick): void {
    const mode = this.problem.events[event].modes.find(one => one.rank === rank)
    this.#rankOf[event] = rank
    this.#end[event] = start + (mode?.duration ?? 0)
    for (const to of this.#outgoing[event]) if (--this.#waiting[to] === 0) this.#open(to)
  }

  finish(): EventId[][] | undefined {
    while (this.#ready.some(events => events.size > 0)) {
      let best: Choice | undefined
      for (let rank = 0; rank < this.problem.ranks; rank++) {
        if (this.#stale[rank] === 1) {
          this.#next[rank] = this.#choose(rank)
          this.#stale[rank] = 0
        }
        const choice = this.#next[rank]
        if (choice && (!best || isBefore(choice, best))) best = choice
      }
      if (!best) return undefined
      this.#run(best)
    }
    return this.order
  }

  #choose(rank: number): Choice | undefined {
    let best: Choice | undefined
    for (const event of this.#ready[rank]) {
      if (!this.#allowed(event, rank)) continue
      const release = this.problem.events[event].modes.find(mode => mode.rank === rank)?.release ?? 0
      const start = Math.max(this.#free[rank], release, this.#arrival(event, rank))
      const choice = { event, rank, start, score: this.#score(event), turn: this.#turn[event] }
      if (!best || isBefore(choice, best)) best = choice
    }
    return best
  }

  #allowed(event: EventId, rank: number): boolean {
    const { key } = this.problem.events[event]
    const twin = this.#twins[event]?.find(other => other !== event && this.#rankOf[other] >= 0)
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
    return kind - this.frame.tail[event] / (1 + this.frame.tail[event] + this.frame.head[event]) / 2
  }

  #run({ event, rank, start }: Choice): void {
    const { key, modes } = this.problem.events[event]
    const { kind } = key
    for (const mode of modes) {
      this.#ready[mode.rank].delete(event)
      this.#stale[mode.rank] = 1
    }
    this.order[rank].push(event)
    this.#bytes[rank] += this.memory.takes[event] - this.memory.gives[event]
    if (kind === 'F') this.#flying[rank]++
    if (kind === 'B' || kind === 'I') this.#flying[rank]--
    this.#close(event, rank, start)
    this.#free[rank] = this.#end[event]
  }
}

/** Per event, the events that must share its rank, if any. */
function twinsOf({ events, ties }: Problem): (readonly EventId[] | undefined)[] {
  const twins = new Array<readonly EventId[] | undefined>(events.length)
  for (const tie of ties) for (const event of tie.events) twins[event] = tie.events
  return twins
}
