import { compileGraph, durationOn } from './compile.ts'
import type { Tick } from './measured.ts'
import type { Edge, EdgeId, Problem, Schedule } from './problem.ts'

/** Ticks of an edge's transfer between the chosen ranks; 0 where none takes place: one rank, or a channel that costs nothing. */
export function transferTicks(problem: Problem, edge: Edge, rankOf: ArrayLike<number>): Tick {
  return edge.lag < 0 ? 0 : problem.lags[edge.lag][rankOf[edge.from] * problem.ranks + rankOf[edge.to]]
}

/** When what an edge carries is on the consumer's rank, for a producer that ends at `end`: after its transfer, which may have waited. */
export function arrivalTick(
  problem: Problem,
  { rankOf, transferStart }: Pick<Schedule, 'rankOf' | 'transferStart'>,
  edge: Edge,
  end: Tick
): Tick {
  const ticks = transferTicks(problem, edge, rankOf)
  return ticks === 0 ? end : (transferStart?.[edge.id] ?? end) + ticks
}

/** Which of two transfers that are ready at one tick a link serves first: by microbatch, activations before gradients, then by stage and item. */
export function servesBefore(problem: Problem, a: EdgeId, b: EdgeId): number {
  const [first, second] = [problem.edges[a], problem.edges[b]]
  const senderOf = ({ sender, from }: Edge) => problem.events[sender ?? from].key
  const [from, other] = [senderOf(first), senderOf(second)]
  const gradient = (edge: Edge) => (edge.type === 'gradient' ? 1 : 0)
  return (
    from.microbatch - other.microbatch ||
    gradient(first) - gradient(second) ||
    from.stage - other.stage ||
    itemOf(problem, first) - itemOf(problem, second)
  )
}

/** Which encoder task of its microbatch an edge carries something for; 0 between stages. */
function itemOf({ events }: Problem, { from, to }: Edge): number {
  return Math.max(events[from].key.item, events[to].key.item)
}

/** A link between two ranks, as an index below P*P. */
export function linkOf(problem: Problem, edge: Edge, rankOf: ArrayLike<number>): number {
  return rankOf[edge.from] * problem.ranks + rankOf[edge.to]
}

/**
 * Starts of all transfers (by edge id; NaN where none takes place) when compute keeps its times and every link serves one
 * transfer at a time, first ready first: a function of the compute times alone.
 */
export function serveLinks(problem: Problem, { rankOf, start }: Pick<Schedule, 'rankOf' | 'start'>): Float64Array {
  const graph = compileGraph(problem)
  const transferStart = new Float64Array(problem.edges.length).fill(Number.NaN)
  const ready = (id: EdgeId) => {
    const { from } = problem.edges[id]
    return start[from] + durationOn(graph, from, rankOf[from])
  }
  const waiting = problem.edges
    .filter(edge => transferTicks(problem, edge, rankOf) > 0)
    .map(edge => edge.id)
    .sort((a, b) => ready(a) - ready(b) || servesBefore(problem, a, b))
  const free = new Float64Array(problem.ranks * problem.ranks)
  for (const id of waiting) {
    const edge = problem.edges[id]
    const link = linkOf(problem, edge, rankOf)
    transferStart[id] = Math.max(ready(id), free[link])
    free[link] = transferStart[id] + transferTicks(problem, edge, rankOf)
  }
  return transferStart
}
