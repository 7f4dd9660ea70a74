import { fail, notYet } from '../base/fault.ts'
import type { Tick } from './measured.ts'
import type { EventId, Problem, Schedule, Sequences } from './problem.ts'

/** Longest path of an order, or the cycle of events that keeps it from finishing. */
export type Evaluation =
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | { readonly kind: 'cycle'; readonly events: readonly EventId[] }

/** A problem's graph in typed arrays: successor lists, in-degrees, and durations by (event, rank). */
export type CompiledGraph = {
  readonly numEvents: number
  readonly occupying: number
  readonly successorStart: Int32Array
  readonly successor: Int32Array
  readonly successorLag: Int32Array
  readonly indegree: Int32Array
  /** Mode of event e on rank r is at modeBase[e] + modeStride[e] * r; stride 0 where there is but one mode. */
  readonly modeBase: Int32Array
  readonly modeStride: Uint8Array
  readonly duration: Float64Array
  readonly release: Float64Array
}

const compiled = new WeakMap<Problem, CompiledGraph>()

/** The compiled graph of a problem, built once. */
export function compileGraph(problem: Problem): CompiledGraph {
  const known = compiled.get(problem)
  if (known) return known
  const numEvents = problem.events.length
  const successorStart = new Int32Array(numEvents + 1)
  const indegree = new Int32Array(numEvents)
  for (const edge of problem.edges) {
    successorStart[edge.from + 1]++
    indegree[edge.to]++
  }
  for (let event = 0; event < numEvents; event++) successorStart[event + 1] += successorStart[event]
  const fill = successorStart.slice()
  const successor = new Int32Array(problem.edges.length)
  const successorLag = new Int32Array(problem.edges.length)
  for (const edge of problem.edges) {
    const slot = fill[edge.from]++
    successor[slot] = edge.to
    successorLag[slot] = edge.lag
  }
  const graph = {
    numEvents,
    occupying: problem.events.filter(e => e.occupies).length,
    successorStart,
    successor,
    successorLag,
    indegree,
    ...modeTables(problem)
  }
  compiled.set(problem, graph)
  return graph
}

function modeTables(problem: Problem): Pick<CompiledGraph, 'modeBase' | 'modeStride' | 'duration' | 'release'> {
  const { events, ranks } = problem
  const modeBase = new Int32Array(events.length)
  const modeStride = new Uint8Array(events.length)
  let size = 0
  for (const { id, modes } of events) {
    modeBase[id] = size
    modeStride[id] = modes.length > 1 ? 1 : 0
    size += modes.length > 1 ? ranks : 1
  }
  const duration = new Float64Array(size).fill(Number.NaN)
  const release = new Float64Array(size)
  for (const { id, modes } of events) {
    for (const mode of modes) {
      const slot = modeBase[id] + modeStride[id] * mode.rank
      duration[slot] = mode.duration
      release[slot] = mode.release
    }
  }
  return { modeBase, modeStride, duration, release }
}

/** Ticks of an event on a rank that it has a mode for. */
export function durationOn({ modeBase, modeStride, duration }: CompiledGraph, event: EventId, rank: number): Tick {
  return duration[modeBase[event] + modeStride[event] * rank]
}

/** Tick before which an event may not start on a rank that it has a mode for. */
export function releaseOn({ modeBase, modeStride, release }: CompiledGraph, event: EventId, rank: number): Tick {
  return release[modeBase[event] + modeStride[event] * rank]
}

function mayRun(problem: Problem, event: EventId, rank: number): boolean {
  return problem.events[event].modes.some(mode => mode.rank === rank)
}

/**
 * Times an order: every event starts as early as its dependencies and its rank's sequence allow (latency communication).
 * `sequences[r]` lists the occupying events of rank r; each must appear exactly once, on a rank that it has a mode for.
 * @throws FaultError when the order is incomplete or the communication model is not latency
 */
export function evaluate(problem: Problem, sequences: Sequences): Evaluation {
  if (problem.communication !== 'latency')
    notYet('communication.model', `timing under "${problem.communication}"`, 'Use "latency".')
  const graph = compileGraph(problem)
  const { rankOf, next, waiting } = place(problem, graph, sequences)
  const start = new Float64Array(graph.numEvents)
  const end = new Float64Array(graph.numEvents)
  const done = propagate(problem, graph, rankOf, next, waiting, start, end)
  if (done < graph.numEvents) return { kind: 'cycle', events: findCycle(problem, sequences, waiting) }
  let makespan = 0
  for (const tick of end) if (tick > makespan) makespan = tick
  return { kind: 'schedule', schedule: { sequences, rankOf, start, makespan } }
}

/** Rank of every event, its successor in the rank's sequence (-1: none), and how many predecessors it waits for. */
function place(problem: Problem, graph: CompiledGraph, sequences: Sequences) {
  const rankOf = new Int32Array(graph.numEvents).fill(-1)
  const next = new Int32Array(graph.numEvents).fill(-1)
  const waiting = graph.indegree.slice()
  let placed = 0
  for (let rank = 0; rank < sequences.length; rank++) {
    const sequence = sequences[rank]
    for (let index = 0; index < sequence.length; index++) {
      const event = sequence[index]
      if (rankOf[event] >= 0 || !mayRun(problem, event, rank)) badPlace(problem, event, rank, rankOf[event] >= 0)
      rankOf[event] = rank
      placed++
      if (index > 0) {
        next[sequence[index - 1]] = event
        waiting[event]++
      }
    }
  }
  if (placed !== graph.occupying) {
    const missing = problem.events.find(e => e.occupies && rankOf[e.id] < 0)
    fail(
      'ORDER_INCOMPLETE',
      'sequences',
      missing?.key,
      'an event is missing from the order',
      'List every compute event once.'
    )
  }
  for (const event of problem.events) if (!event.occupies) rankOf[event.id] = event.modes[0].rank
  return { rankOf, next, waiting }
}

function badPlace(problem: Problem, event: EventId, rank: number, twice: boolean): never {
  const what = twice ? 'an event is listed twice' : `an event is listed on rank ${rank}, where it cannot run`
  fail(
    'ORDER_PLACE',
    `sequences[${rank}]`,
    problem.events[event]?.key,
    what,
    'List every compute event once, on one of its ranks.'
  )
}

/** Kahn's walk with longest-path times; returns how many events could finish. */
function propagate(
  problem: Problem,
  graph: CompiledGraph,
  rankOf: Int32Array,
  next: Int32Array,
  waiting: Int32Array,
  start: Float64Array,
  end: Float64Array
): number {
  const { ranks, lags } = problem
  const { numEvents, successorStart, successor, successorLag, modeBase, modeStride, duration, release } = graph
  const queue = new Int32Array(numEvents)
  let tail = 0
  for (let event = 0; event < numEvents; event++) {
    start[event] = release[modeBase[event] + modeStride[event] * rankOf[event]]
    if (waiting[event] === 0) queue[tail++] = event
  }
  for (let head = 0; head < tail; head++) {
    const event = queue[head]
    const finish = start[event] + duration[modeBase[event] + modeStride[event] * rankOf[event]]
    end[event] = finish
    const row = rankOf[event] * ranks
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
      const to = successor[slot]
      const lag = successorLag[slot]
      const ready = lag < 0 ? finish : finish + lags[lag][row + rankOf[to]]
      if (ready > start[to]) start[to] = ready
      if (--waiting[to] === 0) queue[tail++] = to
    }
    const following = next[event]
    if (following >= 0) {
      if (finish > start[following]) start[following] = finish
      if (--waiting[following] === 0) queue[tail++] = following
    }
  }
  return tail
}

/** Some cycle among the events that never became ready, following predecessors. */
function findCycle(problem: Problem, sequences: Sequences, waiting: Int32Array): EventId[] {
  const blockedBy = new Map<EventId, EventId>()
  for (const edge of problem.edges)
    if (waiting[edge.from] > 0 && waiting[edge.to] > 0) blockedBy.set(edge.to, edge.from)
  for (const sequence of sequences) {
    for (let i = 1; i < sequence.length; i++) {
      if (waiting[sequence[i]] > 0 && waiting[sequence[i - 1]] > 0) blockedBy.set(sequence[i], sequence[i - 1])
    }
  }
  const seen = new Map<EventId, number>()
  const path: EventId[] = []
  let event = blockedBy.keys().next().value as EventId
  while (!seen.has(event)) {
    seen.set(event, path.push(event) - 1)
    event = blockedBy.get(event) as EventId
  }
  return path.slice(seen.get(event)).reverse()
}
