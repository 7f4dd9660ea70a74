import { range } from '../../../base/arrays.ts'
import type { EventId } from '../../../schedule/problem.ts'
import { type Analysis, entryOf } from '../../analysis.ts'
import type { MilpBuilder } from '../../model/builder.ts'
import type { Variable } from '../../model/types.ts'
import type { Gap, Slot, Task } from './context.ts'

/** Where the problem lets a free event stand: before body position `place` of a rank (body length: after all). */
export type Allowed = (event: EventId, rank: number, place: number) => boolean

/**
 * How often "some encodes, then some backwards" may repeat in a gap that has both kinds. 0 leaves the gap mixed, which says
 * nothing about how they alternate.
 */
export type Rounds = (gap: {
  readonly rank: number
  readonly encodes: readonly EventId[]
  readonly backwards: readonly EventId[]
  readonly opens: number
}) => number

const TIME_ZERO: Task = { duration: 0, head: 0, latest: 0 }

/**
 * Slot group. Consumes the body, the windows and what the problem allows. Creates the start variables of body tasks and,
 * per rank, the gaps of its line with one binary per free event that fits there. A gap in which the alternation of encodes
 * and backwards matters is cut into parts of one kind each by joints of length 0.
 */
export class Lines {
  readonly start = new Map<EventId, Variable>()
  readonly gaps: Gap[][]
  readonly slotsOf = new Map<EventId, Slot[]>()

  constructor(
    readonly analysis: Analysis,
    readonly milp: MilpBuilder,
    readonly end: Task,
    readonly allowed: Allowed,
    readonly rounds: Rounds
  ) {
    for (const event of analysis.free) this.slotsOf.set(event, [])
    for (const sequence of analysis.body)
      for (const event of sequence) this.start.set(event, milp.continuous(analysis.head[event], analysis.latest[event]))
    this.gaps = range(analysis.problem.ranks).map(rank => this.#line(rank))
  }

  #task(event: EventId): Task {
    const { head, latest, minDuration } = this.analysis
    return {
      event,
      start: this.start.get(event) as Variable,
      duration: minDuration(event),
      head: head[event],
      latest: latest[event]
    }
  }

  #line(rank: number): Gap[] {
    const tasks = [TIME_ZERO, ...(this.analysis.body[rank] ?? []).map(event => this.#task(event)), this.end]
    return range(tasks.length - 1).flatMap(place => this.#gap(rank, place, tasks[place], tasks[place + 1]))
  }

  #gap(rank: number, place: number, previous: Task, next: Task): Gap[] {
    const fitting = this.analysis.free.filter(
      event => this.allowed(event, rank, place) && fits(this.analysis, event, rank, previous, next)
    )
    const kind = (event: EventId) => this.analysis.problem.events[event].key.kind
    const encodes = this.#inBodyOrder(fitting.filter(event => kind(event) === 'E'))
    const backwards = this.#inBodyOrder(fitting.filter(event => kind(event) !== 'E'))
    const opens = previous.head + previous.duration
    const count = Math.min(encodes.length, backwards.length) > 0 ? this.rounds({ rank, encodes, backwards, opens }) : 0
    const parts = count === 0 ? [{ encodes, backwards }] : range(2 * count).map(i => part(i, encodes, backwards))
    const gaps: Gap[] = []
    for (const [i, { encodes, backwards }] of parts.entries()) {
      const from = i === 0 ? previous : gaps[i - 1].next
      const to = i === parts.length - 1 ? next : this.#joint(previous, next)
      const gap: Gap = { rank, place, previous: from, next: to, encodes: [], backwards: [] }
      for (const event of encodes) gap.encodes.push(this.#slot(event, gap))
      for (const event of backwards) gap.backwards.push(this.#slot(event, gap))
      gaps.push(gap)
    }
    return gaps
  }

  #joint(previous: Task, next: Task): Task {
    const [head, latest] = [previous.head + previous.duration, next.latest]
    return { start: this.milp.continuous(head, latest), duration: 0, head, latest }
  }

  #slot(event: EventId, gap: Gap): Slot {
    const slot = { event, gap, variable: this.milp.binary() }
    this.slotsOf.get(event)?.push(slot)
    return slot
  }

  /** Encodes by who is needed first, backwards by who comes back first (ascending microbatches for plain bodies). */
  #inBodyOrder(events: readonly EventId[]): EventId[] {
    const { problem, position } = this.analysis
    const placeOf = (event: EventId) => {
      const { kind, microbatch } = problem.events[event].key
      const entry = entryOf(problem, microbatch)[kind === 'E' ? 'forward' : 'backward']
      return entry === undefined || position[entry] < 0 ? microbatch : position[entry]
    }
    // Ids of the chunks of a task ascend in the order in which they run.
    return [...events].sort((a, b) => placeOf(a) - placeOf(b) || a - b)
  }
}

function part(index: number, encodes: readonly EventId[], backwards: readonly EventId[]) {
  return index % 2 === 0 ? { encodes, backwards: [] } : { encodes: [], backwards }
}

/** Whether an event can run between two tasks of a rank's line, by windows and by what must precede what. */
function fits(analysis: Analysis, event: EventId, rank: number, previous: Task, next: Task): boolean {
  const duration = analysis.duration(event, rank)
  if (Number.isNaN(duration)) return false
  let earliest = Math.max(previous.head + previous.duration, analysis.release(event, rank))
  let latestEnd = next.latest
  for (const edge of analysis.incoming[event]) {
    if (next.event !== undefined && precedes(analysis, next.event, edge.from)) return false
    const from = analysis.rankOf[edge.from]
    if (from >= 0)
      earliest = Math.max(
        earliest,
        analysis.head[edge.from] + analysis.minDuration(edge.from) + analysis.lag(edge, from, rank)
      )
  }
  for (const edge of analysis.outgoing[event]) {
    if (previous.event !== undefined && precedes(analysis, edge.to, previous.event)) return false
    const to = analysis.rankOf[edge.to]
    latestEnd = Math.min(latestEnd, analysis.latest[edge.to] - (to >= 0 ? analysis.lag(edge, rank, to) : 0))
  }
  return earliest + duration <= latestEnd
}

/** Whether `first` is `second` or must come before it. */
export function precedes(analysis: Analysis, first: EventId, second: EventId): boolean {
  return first === second || analysis.distancesFrom(first)[second] > Number.NEGATIVE_INFINITY
}
