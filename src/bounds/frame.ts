import type { Tick } from '../schedule/measured.ts'
import type { Edge, EventId, Problem, Sequences } from '../schedule/problem.ts'

/** Any event that may run on several ranks counts with its shortest way of running. */
export type Frame = {
  readonly problem: Problem
  /** Fixed order of the body, per rank; empty lists where the body order is free. */
  readonly body: Sequences
  /** Earliest start of every event in any schedule of the space. */
  readonly head: Float64Array
  /** Ticks from the start of an event to the end of the step at least, its own duration included. */
  readonly tail: Float64Array
  /** Shortest duration of every event. */
  readonly duration: Float64Array
  /** Predecessor and successor on the longest path through each event; -1 for none. */
  readonly before: Int32Array
  readonly after: Int32Array
}

type Arc = { readonly to: EventId; readonly lag: Tick }

/**
 * Heads and tails of all events by longest paths over dependencies and the fixed body order; encoder work floats free of
 * any rank. `body` lists the stage events of each rank in their fixed order, or nothing where that order is free.
 */
export function frameOf(problem: Problem, body: Sequences): Frame {
  const size = problem.events.length
  const duration = Float64Array.from(problem.events, event => Math.min(...event.modes.map(mode => mode.duration)))
  const arcs = outgoing(problem, body)
  const order = topological(size, arcs)
  const head = Float64Array.from(problem.events, event => Math.min(...event.modes.map(mode => mode.release)))
  const before = new Int32Array(size).fill(-1)
  for (const event of order) {
    for (const { to, lag } of arcs[event]) {
      const ready = head[event] + duration[event] + lag
      if (ready > head[to] || (ready === head[to] && before[to] < 0)) [head[to], before[to]] = [ready, event]
    }
  }
  const tail = duration.slice()
  const after = new Int32Array(size).fill(-1)
  for (const event of order.reverse()) {
    for (const { to, lag } of arcs[event]) {
      const rest = duration[event] + lag + tail[to]
      if (rest > tail[event] || (rest === tail[event] && after[event] < 0)) [tail[event], after[event]] = [rest, to]
    }
  }
  return { problem, body, head, tail, duration, before, after }
}

/** Edges with the least lag that any choice of ranks allows, and the fixed sequences. */
function outgoing(problem: Problem, body: Sequences): Arc[][] {
  const arcs: Arc[][] = problem.events.map(() => [])
  for (const edge of problem.edges) arcs[edge.from].push({ to: edge.to, lag: leastLag(problem, edge) })
  for (const sequence of body) {
    for (let index = 1; index < sequence.length; index++)
      arcs[sequence[index - 1]].push({ to: sequence[index], lag: 0 })
  }
  return arcs
}

/**
 * What an edge adds at least between the end of its source and the start of its target, over all ways to run the two,
 * beyond the source's least release and duration.
 */
export function leastLag(problem: Problem, edge: Edge): Tick {
  const [from, to] = [problem.events[edge.from], problem.events[edge.to]]
  if (from.modes.length === 1 && to.modes.length === 1)
    return lagOf(problem, edge, from.modes[0].rank, to.modes[0].rank)
  const shortest =
    Math.min(...from.modes.map(mode => mode.release)) + Math.min(...from.modes.map(mode => mode.duration))
  let least = Number.POSITIVE_INFINITY
  for (const left of from.modes) {
    for (const right of to.modes) {
      const lag = lagOf(problem, edge, left.rank, right.rank)
      least = Math.min(least, left.release + left.duration - shortest + lag)
    }
  }
  return least
}

function lagOf(problem: Problem, edge: Edge, from: number, to: number): Tick {
  return edge.lag < 0 ? 0 : problem.lags[edge.lag][from * problem.ranks + to]
}

function topological(size: number, arcs: readonly (readonly Arc[])[]): EventId[] {
  const waiting = new Int32Array(size)
  for (const list of arcs) for (const { to } of list) waiting[to]++
  const order: EventId[] = []
  for (let event = 0; event < size; event++) if (waiting[event] === 0) order.push(event)
  for (let index = 0; index < order.length; index++) {
    for (const { to } of arcs[order[index]]) if (--waiting[to] === 0) order.push(to)
  }
  if (order.length < size) throw new Error('the body order has a cycle')
  return order
}
