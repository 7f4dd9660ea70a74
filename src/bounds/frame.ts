import { type CompiledGraph, compileGraph } from '../schedule/compile.ts'
import type { Tick } from '../schedule/measured.ts'
import type { EventId, Mode, Problem, Sequences } from '../schedule/problem.ts'

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

const known = new WeakMap<Problem, WeakMap<Sequences, Frame>>()

/**
 * Heads and tails of all events by longest paths over dependencies and the fixed body order; encoder work floats free of
 * any rank. `body` lists the stage events of each rank in their fixed order, or nothing where that order is free. Computed
 * once for a problem and body.
 */
export function frameOf(problem: Problem, body: Sequences): Frame {
  const frames = known.get(problem) ?? new WeakMap<Sequences, Frame>()
  known.set(problem, frames)
  const frame = frames.get(body) ?? computeFrame(problem, body)
  frames.set(body, frame)
  return frame
}

function computeFrame(problem: Problem, body: Sequences): Frame {
  const graph = compileGraph(problem)
  const lags = leastLags(problem, graph)
  const next = followers(problem, body)
  const duration = Float64Array.from(problem.events, ({ modes }) => least(modes, 'duration'))
  const order = topological(graph, next)
  const head = Float64Array.from(problem.events, ({ modes }) => least(modes, 'release'))
  const tail = duration.slice()
  const before = new Int32Array(duration.length).fill(-1)
  const after = new Int32Array(duration.length).fill(-1)
  const { successorStart, successor } = graph
  const reach = (from: EventId, to: EventId, ready: Tick) => {
    if (ready < head[to] || (ready === head[to] && before[to] >= 0)) return
    head[to] = ready
    before[to] = from
  }
  for (const event of order) {
    const finish = head[event] + duration[event]
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++)
      reach(event, successor[slot], finish + lags[slot])
    if (next[event] >= 0) reach(event, next[event], finish)
  }
  const leave = (from: EventId, to: EventId, rest: Tick) => {
    if (rest < tail[from] || (rest === tail[from] && after[from] >= 0)) return
    tail[from] = rest
    after[from] = to
  }
  for (let index = order.length - 1; index >= 0; index--) {
    const event = order[index]
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
      leave(event, successor[slot], duration[event] + lags[slot] + tail[successor[slot]])
    }
    if (next[event] >= 0) leave(event, next[event], duration[event] + tail[next[event]])
  }
  return { problem, body, head, tail, duration, before, after }
}

function least(modes: readonly Mode[], what: 'duration' | 'release'): Tick {
  let smallest = modes[0][what]
  if (modes.length === 1) return smallest
  for (const mode of modes) if (mode[what] < smallest) smallest = mode[what]
  return smallest
}

/** Event that follows each in its rank's fixed order; -1 for none. */
function followers(problem: Problem, body: Sequences): Int32Array {
  const next = new Int32Array(problem.events.length).fill(-1)
  for (const sequence of body)
    for (let index = 1; index < sequence.length; index++) next[sequence[index - 1]] = sequence[index]
  return next
}

/**
 * What each edge adds at least between the end of its source and the start of its target, over all ways to run the two,
 * beyond the source's least release and duration; by successor slot of the compiled graph.
 */
function leastLags(problem: Problem, graph: CompiledGraph): Float64Array {
  const least = new Float64Array(graph.successor.length)
  for (const { id, modes } of problem.events) {
    for (let slot = graph.successorStart[id]; slot < graph.successorStart[id + 1]; slot++) {
      const to = problem.events[graph.successor[slot]]
      least[slot] = leastLag(problem, graph.successorLag[slot], modes, to.modes)
    }
  }
  return least
}

function leastLag({ lags, ranks }: Problem, table: number, from: readonly Mode[], to: readonly Mode[]): Tick {
  if (from.length === 1 && to.length === 1) return table < 0 ? 0 : lags[table][from[0].rank * ranks + to[0].rank]
  const lagOf = (left: number, right: number) => (table < 0 ? 0 : lags[table][left * ranks + right])
  const shortest = least(from, 'release') + least(from, 'duration')
  let smallest = Number.POSITIVE_INFINITY
  for (const left of from) {
    for (const right of to)
      smallest = Math.min(smallest, left.release + left.duration - shortest + lagOf(left.rank, right.rank))
  }
  return smallest
}

function topological({ numEvents, successorStart, successor, indegree }: CompiledGraph, next: Int32Array): Int32Array {
  const waiting = indegree.slice()
  for (const event of next) if (event >= 0) waiting[event]++
  const order = new Int32Array(numEvents)
  let length = 0
  for (let event = 0; event < numEvents; event++) if (waiting[event] === 0) order[length++] = event
  for (let index = 0; index < length; index++) {
    const event = order[index]
    for (let slot = successorStart[event]; slot < successorStart[event + 1]; slot++) {
      if (--waiting[successor[slot]] === 0) order[length++] = successor[slot]
    }
    if (next[event] >= 0 && --waiting[next[event]] === 0) order[length++] = next[event]
  }
  if (length < numEvents) throw new Error('the body order has a cycle')
  return order
}
