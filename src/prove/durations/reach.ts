import type { EdgeClass, OrderGraph } from './order-graph.ts'

/** Whether an order can finish; if not, a cycle of events in which each waits for the one before it. */
export type Acyclicity =
  | { readonly acyclic: true; readonly topological: Int32Array }
  | { readonly acyclic: false; readonly cycle: readonly number[] }

type Arcs = { readonly start: Int32Array; readonly to: Int32Array; readonly waiting: Int32Array }

/** Kahn's walk over edges and needs. */
export function acyclicity(graph: OrderGraph): Acyclicity {
  const pairs = [...graph.edges, ...graph.needs]
  const { start, to, waiting } = arcsOf(graph.nodes.length, pairs)
  const topological = new Int32Array(graph.nodes.length)
  let tail = 0
  for (let node = 0; node < waiting.length; node++) if (waiting[node] === 0) topological[tail++] = node
  for (let head = 0; head < tail; head++) {
    const node = topological[head]
    for (let slot = start[node]; slot < start[node + 1]; slot++) {
      if (--waiting[to[slot]] === 0) topological[tail++] = to[slot]
    }
  }
  return tail === topological.length
    ? { acyclic: true, topological }
    : { acyclic: false, cycle: findCycle(pairs, waiting) }
}

function arcsOf(size: number, pairs: readonly { readonly from: number; readonly to: number }[]): Arcs {
  const start = new Int32Array(size + 1)
  const waiting = new Int32Array(size)
  for (const pair of pairs) {
    start[pair.from + 1]++
    waiting[pair.to]++
  }
  for (let node = 0; node < size; node++) start[node + 1] += start[node]
  const fill = start.slice()
  const to = new Int32Array(pairs.length)
  for (const pair of pairs) to[fill[pair.from]++] = pair.to
  return { start, to, waiting }
}

/** Follows blockers among the events that never became ready. */
function findCycle(pairs: readonly { readonly from: number; readonly to: number }[], waiting: Int32Array): number[] {
  const blocker = new Map<number, number>()
  for (const { from, to } of pairs) if (waiting[from] > 0 && waiting[to] > 0) blocker.set(to, from)
  const seen = new Map<number, number>()
  const path: number[] = []
  let node = blocker.keys().next().value as number
  while (!seen.has(node)) {
    seen.set(node, path.push(node) - 1)
    node = blocker.get(node) as number
  }
  return path.slice(seen.get(node)).reverse()
}

/** For each node and rank, how far that rank's list is forced to have ended before the node starts. */
export type Reach = {
  /** Whether `from` ends at or before the start of `to` for all durations: there is a path. Both in lists, or `to` loose. */
  precedes(from: number, to: number): boolean
  /** Largest list index on `rank` that precedes the node; -1 for none. */
  latest(node: number, rank: number): number
}

/**
 * Paths along the edges of an acyclic order, without the classes left out ('rank order' must stay): each rank is a chain, so
 * one number per (node, rank) says it all.
 */
export function reachOf(graph: OrderGraph, topological: Int32Array, without: readonly EdgeClass[] = []): Reach {
  const ranks = graph.lists.length
  const { nodes } = graph
  const latest = new Int32Array(nodes.length * ranks).fill(-1)
  const edges = graph.edges.filter(edge => !without.includes(edge.by))
  const { start, to } = arcsOf(nodes.length, edges)
  for (const node of topological) {
    const { rank, index } = nodes[node]
    const row = node * ranks
    for (let slot = start[node]; slot < start[node + 1]; slot++) {
      const target = to[slot] * ranks
      for (let r = 0; r < ranks; r++) if (latest[row + r] > latest[target + r]) latest[target + r] = latest[row + r]
      if (index > latest[target + rank]) latest[target + rank] = index
    }
  }
  return {
    precedes: (from, target) =>
      nodes[from].index >= 0
        ? latest[target * ranks + nodes[from].rank] >= nodes[from].index
        : edges.some(edge => edge.from === from && (edge.to === target || latestCovers(edge.to, target))),
    latest: (node, rank) => latest[node * ranks + rank]
  }
  function latestCovers(middle: number, target: number): boolean {
    return latest[target * ranks + nodes[middle].rank] >= nodes[middle].index
  }
}
