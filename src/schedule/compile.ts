import type { Tick } from './measured.ts'
import type { EventId, Problem } from './problem.ts'

/** A problem's graph in typed arrays: successor lists, in-degrees, and durations by (event, rank). */
export type CompiledGraph = {
  readonly numEvents: number
  readonly occupying: number
  /** Events beside the compute. */
  readonly loose: Int32Array
  readonly successorStart: Int32Array
  readonly successor: Int32Array
  readonly successorLag: Int32Array
  /** Edge of every successor entry. */
  readonly successorEdge: Int32Array
  readonly indegree: Int32Array
  /** Mode of event e on rank r is at modeBase[e] + modeStride[e] * r; stride 0 where there is but one mode. */
  readonly modeBase: Int32Array
  readonly modeStride: Uint8Array
  /** The one rank of an event with but one mode; -1 for others. */
  readonly onlyRank: Int32Array
  readonly duration: Float64Array
  readonly release: Float64Array
  /** Whether any release is above 0. */
  readonly releases: boolean
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
  const successorEdge = new Int32Array(problem.edges.length)
  for (const edge of problem.edges) {
    const slot = fill[edge.from]++
    successor[slot] = edge.to
    successorLag[slot] = edge.lag
    successorEdge[slot] = edge.id
  }
  const graph = {
    numEvents,
    occupying: problem.events.filter(e => e.occupies).length,
    loose: Int32Array.from(
      problem.events.filter(e => !e.occupies),
      e => e.id
    ),
    successorStart,
    successor,
    successorLag,
    successorEdge,
    indegree,
    ...modeTables(problem)
  }
  compiled.set(problem, graph)
  return graph
}

function modeTables(
  problem: Problem
): Pick<CompiledGraph, 'modeBase' | 'modeStride' | 'onlyRank' | 'duration' | 'release' | 'releases'> {
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
  const onlyRank = Int32Array.from(events, ({ modes }) => (modes.length > 1 ? -1 : modes[0].rank))
  return { modeBase, modeStride, onlyRank, duration, release, releases: release.some(tick => tick > 0) }
}

/** Ticks of an event on a rank that it has a mode for. */
export function durationOn({ modeBase, modeStride, duration }: CompiledGraph, event: EventId, rank: number): Tick {
  return duration[modeBase[event] + modeStride[event] * rank]
}

/** Tick before which an event may not start on a rank that it has a mode for. */
export function releaseOn({ modeBase, modeStride, release }: CompiledGraph, event: EventId, rank: number): Tick {
  return release[modeBase[event] + modeStride[event] * rank]
}
