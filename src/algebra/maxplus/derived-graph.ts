import type { Derivation } from '../derive.ts'
import type { DerivedOrder } from '../derive-order.ts'
import type { ComputeEvent, GraphEdge, GraphEvent } from '../events.ts'
import type { Collective } from '../types.ts'
import type { WeightedGraph, WeightedNode } from './graph.ts'

/** Weights of a derived graph's events: compute, the three lags between different ranks, and what runs beside compute. */
export type DerivedWeights<W> = {
  readonly compute: (event: ComputeEvent) => W
  readonly lag: Readonly<Record<'send' | 'gather' | 'scatter', W>>
  readonly broadcast: W
  readonly reduce: (region: number, rank: number | undefined) => W
  readonly unit: W
}

const LAG_OF: Readonly<Record<Collective, 'send' | 'gather' | 'scatter'>> = {
  Gather: 'gather',
  Scatter: 'scatter',
  Send: 'send',
  RecvGrad: 'send'
}

/**
 * The weighted graph of a derivation in an order. A collective costs its lag where its two ends sit on different ranks;
 * the broadcast holds back the encodes of all ranks but `home`, the first stage's.
 */
export function derivedGraph<W>(
  derivation: Derivation,
  order: DerivedOrder,
  size: { readonly ranks: number; readonly microbatches: number; readonly home: number },
  weights: DerivedWeights<W>
): WeightedGraph<W> {
  const { events } = derivation
  const edges = derivation.edges.filter(
    edge => !(events[edge.from].kind === 'Broadcast' && rankOf(events[edge.to]) === size.home)
  )
  const ends = collectiveEnds(events, edges)
  const nodes = events.map((event, id) => nodeOf(event, ends.get(id), weights))
  const lagged = edges.map(({ from, to }) => ({ from, to, weight: edgeWeight(events[from], events[to], weights) }))
  return { ranks: size.ranks, microbatches: size.microbatches, nodes, edges: lagged, sequences: order.ranks }
}

function rankOf(event: GraphEvent): number {
  return 'rank' in event && event.rank !== undefined ? event.rank : -1
}

/** Ranks at both ends of every collective. */
function collectiveEnds(events: readonly GraphEvent[], edges: readonly GraphEdge[]): Map<number, Set<number>> {
  const ends = new Map<number, Set<number>>()
  const note = (id: number, rank: number) => {
    const ranks = ends.get(id) ?? new Set()
    if (rank >= 0) ranks.add(rank)
    ends.set(id, ranks)
  }
  for (const { from, to } of edges) {
    if (events[from].kind === 'Coll') note(from, rankOf(events[to]))
    if (events[to].kind === 'Coll') note(to, rankOf(events[from]))
  }
  return ends
}

function nodeOf<W>(
  event: GraphEvent,
  ends: ReadonlySet<number> | undefined,
  weights: DerivedWeights<W>
): WeightedNode<W> {
  const beside = { region: -1, rank: -1, microbatch: -1 }
  switch (event.kind) {
    case 'Fwd':
    case 'Bwd':
    case 'BwdInput':
    case 'BwdWeight':
      return { region: event.region, rank: event.rank, microbatch: event.microbatch, weight: weights.compute(event) }
    case 'Coll':
      return {
        ...beside,
        microbatch: event.microbatch,
        weight: (ends?.size ?? 0) > 1 ? weights.lag[LAG_OF[event.comm]] : weights.unit
      }
    case 'Broadcast':
      return { ...beside, region: event.region, weight: weights.broadcast }
    case 'DpReduce':
      return { ...beside, region: event.region, weight: weights.reduce(event.region, event.rank) }
    case 'Loss':
      return { ...beside, microbatch: event.microbatch, weight: weights.unit }
    case 'StepBarrier':
      return { ...beside, weight: weights.unit }
  }
}

/** Inside a region neighbouring stages on different ranks send directly. */
function edgeWeight<W>(from: GraphEvent, to: GraphEvent, weights: DerivedWeights<W>): W {
  const stages = 'stage' in from && 'stage' in to && from.stage !== undefined && to.stage !== undefined
  return stages && rankOf(from) !== rankOf(to) && from.stage !== to.stage ? weights.lag.send : weights.unit
}
