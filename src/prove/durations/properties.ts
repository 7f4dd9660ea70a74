import { range } from '../../base/arrays.ts'
import type { OrderGraph, OrderNode } from './order-graph.ts'

/** `before` must have ended when `after` starts. */
export type Pair = { readonly before: number; readonly after: number }

/** A rule of spec section 2 as pairs of events that must hold for every duration. */
export type Property = {
  readonly code: 'OVERLAP' | 'PRECEDENCE'
  readonly text: string
  readonly pairs: readonly Pair[]
}

/**
 * All rules of an order, stated end to end: every upstream forward, not only the neighbour's; every pair of a rank. They
 * say more than the edges that a rank enforces, so each is a consequence to be proved.
 */
export function propertiesOf(graph: OrderGraph): Property[] {
  const byMicrobatch = new Map<number, number[]>()
  for (const [id, node] of graph.nodes.entries()) {
    if (node.microbatch >= 0) byMicrobatch.set(node.microbatch, [...(byMicrobatch.get(node.microbatch) ?? []), id])
  }
  const chains = [...byMicrobatch.values()]
  const ordered = (fits: (before: OrderNode, after: OrderNode) => boolean): Pair[] =>
    chains.flatMap(ids =>
      ids.flatMap(before =>
        ids
          .filter(after => before !== after && fits(graph.nodes[before], graph.nodes[after]))
          .map(after => ({ before, after }))
      )
    )
  const properties: Property[] = [
    { code: 'OVERLAP', text: 'no two events of a rank overlap', pairs: rankPairs(graph) },
    {
      code: 'PRECEDENCE',
      text: 'a forward follows the encode and every upstream forward',
      pairs: ordered(forwardChain)
    },
    {
      code: 'PRECEDENCE',
      text: 'a backward follows every forward and every downstream backward',
      pairs: ordered(backwardChain)
    },
    {
      code: 'PRECEDENCE',
      text: 'an encoder backward follows its encode and every stage backward',
      pairs: ordered(encodeChain)
    },
    { code: 'PRECEDENCE', text: 'a chunk follows the earlier chunks of its task', pairs: ordered(chunkChain) },
    {
      code: 'PRECEDENCE',
      text: 'reductions follow their backwards, encodes off the first rank the broadcast',
      pairs: loosePairs(graph)
    }
  ]
  return properties.filter(property => property.pairs.length > 0)
}

/** A chunk follows the earlier chunks of its item. */
function chunkChain(before: OrderNode, after: OrderNode): boolean {
  return after.kind === 'E' && before.kind === 'E' && before.item === after.item && chunkOf(before) < chunkOf(after)
}

const chunkOf = ({ chunk = 0 }: OrderNode) => chunk
const isForward = ({ kind }: OrderNode) => kind === 'F' || kind === 'E'
const isBackward = ({ kind }: OrderNode) => kind === 'B' || kind === 'I'

function forwardChain(before: OrderNode, after: OrderNode): boolean {
  return after.kind === 'F' && isForward(before) && before.stage < after.stage
}

function backwardChain(before: OrderNode, after: OrderNode): boolean {
  if (isBackward(after))
    return before.kind === 'F' || before.kind === 'E' || (isBackward(before) && before.stage > after.stage)
  return after.kind === 'W' && isBackward(before) && before.stage >= after.stage
}

function encodeChain(before: OrderNode, after: OrderNode): boolean {
  if (after.kind !== 'EB') return false
  if (before.kind === 'E' || before.kind === 'EB')
    return before.item === after.item && (before.kind === 'E' || chunkOf(before) > chunkOf(after))
  return before.kind === 'F' || isBackward(before)
}

/** Overlapped events of one action are one: nothing is asked between them. */
function rankPairs({ lists, spans }: OrderGraph): Pair[] {
  return lists.flatMap(list =>
    list.flatMap((after, i) =>
      range(i)
        .filter(j => spans[list[j]] !== spans[after])
        .map(j => ({ before: list[j], after }))
    )
  )
}

function loosePairs({ edges }: OrderGraph): Pair[] {
  return edges
    .filter(edge => edge.by === 'accumulate' || edge.by === 'broadcast')
    .map(({ from, to }) => ({ before: from, after: to }))
}
