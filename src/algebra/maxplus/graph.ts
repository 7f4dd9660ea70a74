import { range } from '../../base/arrays.ts'
import { fail } from '../../base/fault.ts'
import type { Semiring } from './semiring.ts'

/** An event with its duration, as a number or as a name. `region` and `microbatch` are -1 where they do not apply. */
export type WeightedNode<W> = {
  readonly region: number
  readonly rank: number
  readonly microbatch: number
  readonly weight: W
}

/** `to` starts at or after the end of `from` plus the weight. */
export type WeightedEdge<W> = { readonly from: number; readonly to: number; readonly weight: W }

/**
 * The event graph of an order with weights: nodes, data edges, and per rank the nodes that occupy it, in order. Nodes in
 * no sequence (reductions, broadcasts) run beside the compute.
 */
export type WeightedGraph<W> = {
  readonly ranks: number
  readonly microbatches: number
  readonly nodes: readonly WeightedNode<W>[]
  readonly edges: readonly WeightedEdge<W>[]
  readonly sequences: readonly (readonly number[])[]
}

/** Data edges and sequence edges together; a sequence edge has no weight. */
export function allEdges<W>(graph: WeightedGraph<W>, unit: W): WeightedEdge<W>[] {
  const inOrder = graph.sequences.flatMap(sequence =>
    sequence.slice(1).map((to, index) => ({ from: sequence[index], to, weight: unit }))
  )
  return [...graph.edges, ...inOrder]
}

/**
 * Nodes in an order that every edge respects.
 * @throws FaultError CYCLE when the order cannot finish
 */
export function topological(count: number, edges: readonly WeightedEdge<unknown>[]): number[] {
  const waiting = new Int32Array(count)
  const next: number[][] = range(count).map(() => [])
  for (const { from, to } of edges) {
    next[from].push(to)
    waiting[to]++
  }
  const sorted = range(count).filter(node => waiting[node] === 0)
  for (let head = 0; head < sorted.length; head++) {
    for (const to of next[sorted[head]]) if (--waiting[to] === 0) sorted.push(to)
  }
  if (sorted.length < count) {
    const stuck = range(count).filter(node => waiting[node] > 0)
    fail('CYCLE', 'order', stuck, `${stuck.length} events wait for each other`, 'Correct the order.')
  }
  return sorted
}

/** End of every node over a semiring, all ranks free and all inputs present at the unit. */
export function longestPaths<W>(graph: WeightedGraph<W>, ring: Semiring<W>): W[] {
  const edges = allEdges(graph, ring.unit)
  const into: WeightedEdge<W>[][] = graph.nodes.map(() => [])
  for (const edge of edges) into[edge.to].push(edge)
  const end: W[] = graph.nodes.map(() => ring.none)
  for (const node of topological(graph.nodes.length, edges)) {
    const start = into[node].reduce((latest, e) => ring.max(latest, ring.plus(end[e.from], e.weight)), ring.unit)
    end[node] = ring.plus(start, graph.nodes[node].weight)
  }
  return end
}

/** Latest end of anything: the makespan, as a value of the semiring. */
export function makespanOf<W>(graph: WeightedGraph<W>, ring: Semiring<W>): W {
  return longestPaths(graph, ring).reduce(ring.max, ring.unit)
}
