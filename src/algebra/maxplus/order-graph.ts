import type { OrderItem, PipelineOrder, StageStep } from '../orders/order.ts'
import type { WeightedEdge, WeightedGraph, WeightedNode } from './graph.ts'

/** Durations of steps, of overlapped pairs, and the lag of a transfer between different ranks. */
export type OrderWeights<W> = {
  readonly step: (step: StageStep) => W
  readonly fused: (forward: StageStep, backward: StageStep) => W
  readonly send: W
  readonly unit: W
}

const nameOf = (kind: string, { stage, microbatch, replica }: Omit<StageStep, 'kind'>) =>
  `${kind}/${replica}/${stage}/${microbatch}`

/** The weighted event graph of an order that (P, M) fixes: activation, gradient and turnaround edges between its steps. */
export function orderGraph<W>(order: PipelineOrder, weights: OrderWeights<W>): WeightedGraph<W> {
  const nodes: WeightedNode<W>[] = []
  const nodeOf = new Map<string, number>()
  const sequences = order.items.map((items, rank) =>
    items.map(item => {
      const id = nodes.push(nodeFor(item, rank, weights)) - 1
      for (const step of item.kind === 'run' ? [item.step] : [item.forward, item.backward]) {
        nodeOf.set(nameOf(step.kind, step), id)
        // Others wait for the gradient alone, whether the weight part comes with it or later.
        if (step.kind === 'B' || step.kind === 'I') nodeOf.set(nameOf('gradient', step), id)
      }
      return id
    })
  )
  const edges = order.items.flatMap((items, rank) =>
    items.flatMap((item, place) =>
      (item.kind === 'run' ? [item.step] : [item.forward, item.backward]).flatMap(step =>
        edgesInto(order, step, sequences[rank][place], nodeOf, weights)
      )
    )
  )
  return { ranks: order.ranks, microbatches: order.microbatches, nodes, edges, sequences }
}

function nodeFor<W>(item: OrderItem, rank: number, weights: OrderWeights<W>): WeightedNode<W> {
  if (item.kind === 'run') return { region: 0, rank, microbatch: item.step.microbatch, weight: weights.step(item.step) }
  return { region: 0, rank, microbatch: item.forward.microbatch, weight: weights.fused(item.forward, item.backward) }
}

/** What a step waits for: its neighbour stage's activation or gradient, its own forward, its own input part. */
function edgesInto<W>(
  order: PipelineOrder,
  step: StageStep,
  to: number,
  nodeOf: ReadonlyMap<string, number>,
  weights: OrderWeights<W>
): WeightedEdge<W>[] {
  const ranks = order.rankOf[step.replica]
  const from = (kind: string, stage: number): WeightedEdge<W>[] => {
    const node = nodeOf.get(nameOf(kind, { ...step, stage }))
    const crosses = ranks[stage] !== ranks[step.stage]
    return node === undefined ? [] : [{ from: node, to, weight: crosses ? weights.send : weights.unit }]
  }
  switch (step.kind) {
    case 'F':
      return step.stage > 0 ? from('F', step.stage - 1) : []
    case 'W':
      return from('I', step.stage)
    default:
      return [...from('F', step.stage), ...(step.stage < ranks.length - 1 ? from('gradient', step.stage + 1) : [])]
  }
}
