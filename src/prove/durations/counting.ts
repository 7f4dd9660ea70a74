import { range } from '../../base/arrays.ts'
import type { Byte, Measured } from '../../schedule/measured.ts'
import { rulesOf } from '../../verify/rules.ts'
import type { OrderGraph, OrderNode } from './order-graph.ts'
import type { Reach } from './reach.ts'

/**
 * Memory of an order for every duration, by counting.
 *
 * A rank runs its list one after the other, so what it holds can change only at the starts and ends of its own events
 * and at arrivals. Number its moments: 2k is the gap before its k-th event, 2k + 1 the run of it. An activation that is
 * born and released on one rank is live over a range of moments that depends on the list alone. An encode's output
 * crosses ranks. The first stage's rank may hold it in moment x iff its F has not started by then and its encode is not
 * forced to come after x; the owner may hold it as long as its F is not forced to have started, because a transfer takes
 * any time. All that may be live in one moment can be live at once: during event k give k a length above all others
 * together and let transfers to this rank take no time, and every encode that does not wait for k has ended and
 * arrived; in a gap delay the next event instead; on an owner let its transfers take that long. The count is therefore
 * the exact maximum over all durations, not just a bound.
 */
export type Count = {
  /** Largest bytes on the rank over all durations and delays. */
  readonly peak: Byte
  /** Moment at which it is reached first: 2k before, 2k + 1 during the k-th event; -1 where nothing adds to the fixed bytes. */
  readonly moment: number
}

/** Bytes of one stage's activation: released at the end of F, of B (or I), and kept until W. */
export type StageBytes = { readonly released: Byte; readonly held: Byte; readonly weight: Byte }

export type SourceBytes = { readonly released: Byte; readonly held: Byte; readonly output: Byte }

/** What the events of an order hold, in bytes. `recomputes`: the source's backward runs elsewhere and holds while it runs. */
export type Sizes = {
  readonly fixed: readonly Byte[]
  readonly stages: readonly StageBytes[]
  /** Of one encode: what it needs while it runs, what waits for its backward, and what it hands on. */
  readonly source: (node: Pick<OrderNode, 'microbatch' | 'item' | 'chunk'>) => SourceBytes
  readonly recomputes: boolean
}

/** Sizes of an instance (spec section 3). @throws FaultError NOT_YET outside the timed scope */
export function sizesOf(measured: Measured): Sizes {
  const { fixedBytes, stages, source } = rulesOf(measured)
  return {
    fixed: fixedBytes,
    stages: stages.map(({ releasedBytes, heldBytes, weight, weightBytes }) => ({
      released: releasedBytes,
      held: heldBytes,
      weight: weight ? weightBytes : 0
    })),
    source: ({ microbatch, item = 0, chunk = 0 }) => {
      const encode = source?.encodes(microbatch)[item * source.chunks + chunk]
      return encode
        ? { released: encode.releasedBytes, held: encode.heldBytes, output: encode.outputBytes }
        : { released: 0, held: 0, output: 0 }
    },
    recomputes: measured.encoderBackward === 'first-rank'
  }
}

/** Sizes that make `count` give the microbatches in flight: one per stage activation that waits for its backward. */
export function unitSizes(graph: OrderGraph): Sizes {
  const stages = 1 + graph.nodes.reduce((most, node) => Math.max(most, node.stage), -1)
  return {
    fixed: graph.lists.map(() => 0),
    stages: range(stages).map(() => ({ released: 0, held: 1, weight: 0 })),
    source: () => ({ released: 0, held: 0, output: 0 }),
    recomputes: false
  }
}

/** What is live on a rank, as changes by moment. */
class Ledger {
  readonly changes: Float64Array[]
  constructor(graph: OrderGraph) {
    this.changes = graph.lists.map(list => new Float64Array(2 * list.length + 2))
  }

  /** Live in the moments first..last, both included. */
  hold(rank: number, bytes: Byte, first: number, last: number): void {
    if (bytes <= 0 || last < first) return
    this.changes[rank][first] += bytes
    this.changes[rank][last + 1] -= bytes
  }
}

/** Peak of every rank over all durations. */
export function countMemory(graph: OrderGraph, reach: Reach, sizes: Sizes): Count[] {
  const ledger = new Ledger(graph)
  holdAll(graph, reach, sizes, (rank, bytes, first, last) => ledger.hold(rank, bytes, first, last))
  return ledger.changes.map((changes, rank) => {
    let [live, best, moment] = [sizes.fixed[rank], sizes.fixed[rank], -1]
    for (let x = 0; x < changes.length - 1; x++) {
      live += changes[x]
      if (live > best) [best, moment] = [live, x]
    }
    return { peak: best, moment }
  })
}

/** What holds memory on a rank over a range of moments; `transfer` names the encode whose output is in flight from an owner. */
export type HoldVisitor = (rank: number, bytes: Byte, first: number, last: number, transfer?: number) => void

/** Visits all holds of an order. */
export function holdAll(graph: OrderGraph, reach: Reach, sizes: Sizes, visit: HoldVisitor): void {
  const find = new Map(graph.nodes.map((node, id) => [keyOf(node.kind, node.stage, node.microbatch, node), id]))
  const at = (kind: string, stage: number, m: number, part: Part = {}) => find.get(keyOf(kind, stage, m, part))
  const began = (id: number) => 2 * graph.spans[id].first + 1
  const ended = (id: number) => 2 * graph.spans[id].last + 1
  for (const [id, node] of graph.nodes.entries()) {
    const { kind, stage, microbatch, rank, item = 0, chunk = 0 } = node
    if (kind === 'F') {
      const { released, held, weight } = sizes.stages[stage]
      const from = began(id)
      visit(rank, released, from, ended(id))
      const split = at('I', stage, microbatch)
      const last = at('W', stage, microbatch)
      const back = at('B', stage, microbatch) ?? split
      const late = split !== undefined && last !== undefined ? weight : 0
      if (back !== undefined) visit(rank, held - late, from, ended(back))
      if (late > 0 && last !== undefined) visit(rank, late, from, ended(last))
    } else if (kind === 'E') {
      holdEncode(graph, sizes, id, at('EB', -1, microbatch, node), visit)
      const next = at('E', -1, microbatch, { item, chunk: chunk + 1 })
      if (next === undefined) holdOutput(graph, reach, sizes, id, at('F', 0, microbatch), visit)
      else visit(rank, sizes.source(node).output, 2 * node.index + 2, 2 * graph.nodes[next].index)
    }
  }
}

type Part = Pick<OrderNode, 'item' | 'chunk'>

const keyOf = (kind: string, stage: number, microbatch: number, { item = 0, chunk = 0 }: Part = {}) =>
  `${kind}/${stage}/${microbatch}/${item}/${chunk}`

function holdEncode(graph: OrderGraph, sizes: Sizes, id: number, back: number | undefined, visit: HoldVisitor): void {
  const { rank, index } = graph.nodes[id]
  const { released, held } = sizes.source(graph.nodes[id])
  const during = 2 * index + 1
  visit(rank, released, during, during)
  if (back === undefined || sizes.recomputes) visit(rank, held, during, during)
  if (back === undefined) return
  const there = graph.nodes[back]
  if (sizes.recomputes) visit(there.rank, held + released, 2 * there.index + 1, 2 * there.index + 1)
  else visit(rank, held, during, 2 * there.index + 1)
}

function holdOutput(
  graph: OrderGraph,
  reach: Reach,
  sizes: Sizes,
  id: number,
  use: number | undefined,
  visit: HoldVisitor
): void {
  const { output } = sizes.source(graph.nodes[id])
  if (use === undefined || output === 0) return
  const [encode, forward] = [graph.nodes[id], graph.nodes[use]]
  if (encode.rank !== forward.rank)
    visit(encode.rank, output, 2 * encode.index + 2, lastWithout(graph, reach, encode.rank, use), id)
  const forced = encode.rank === forward.rank ? encode.index : reach.latest(id, forward.rank)
  visit(forward.rank, output, 2 * forced + 2, 2 * forward.index)
}

/** Last moment of a rank that is not forced to come after the start of `use`. */
function lastWithout(graph: OrderGraph, reach: Reach, rank: number, use: number): number {
  const list = graph.lists[rank]
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (reach.precedes(use, list[middle])) high = middle
    else low = middle + 1
  }
  return 2 * low
}
