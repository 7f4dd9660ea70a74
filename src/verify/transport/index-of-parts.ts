import { type ForeignOrder, type Payload, partsOf, type Run, type Transfer } from '../../schedule/foreign.ts'

const RUNS = { F: 0, B: 1, I: 1, W: 2, E: 3, EB: 4 } as const
const PAYLOADS: Readonly<Record<Payload, number>> = { activation: 5, gradient: 6, data: 7, graph: 8 }
const NUM_NAMES = 13
/** Up to this many possible keys the index is an array; sparser orders (a wild number in a file) use a map. */
const MAX_DENSE = 1 << 24

/** A run or one end of a transfer, at its place in the lists; `node` counts all actions rank by rank. */
export type Placed = {
  readonly part: Run | Transfer
  readonly rank: number
  readonly step: number
  readonly node: number
}

/**
 * Finds the node of a run or transfer by what it is. B and I of one stage and microbatch share a name (both are its
 * backward), so that one of each is a duplicate. Only the first of several is found.
 */
class PartIndex {
  readonly order: ForeignOrder
  /** Node of the first action of each rank, and the number of nodes at the end (P + 1 entries). */
  readonly first: Int32Array
  /** Every run and transfer with its place, rank by rank in list order. */
  readonly parts: readonly Placed[]
  readonly #nodes: NodeTable
  readonly #width: number

  constructor(order: ForeignOrder) {
    this.order = order
    this.#width = order.stages + 1
    this.first = new Int32Array(order.ranks.length + 1)
    for (const [rank, actions] of order.ranks.entries()) this.first[rank + 1] = this.first[rank] + actions.length
    this.#nodes = nodeTable((order.stages + 2) * order.microbatches * NUM_NAMES)
    this.parts = placedParts(order, this.first)
    for (const placed of this.parts) {
      const key = this.keyOf(placed.part)
      if (this.#nodes.get(key) < 0) this.#nodes.set(key, placed.node)
    }
  }

  /** Dense number of what a part is, whatever its rank. */
  keyOf(part: Run | Transfer): number {
    const name = part.op === 'run' ? RUNS[part.kind] : PAYLOADS[part.payload] + (part.op === 'recv' ? 4 : 0)
    return this.#key(name, part.stage, part.microbatch)
  }

  /** Node of a run; -1 when the order has none. B also finds I. */
  run(kind: keyof typeof RUNS, stage: number, microbatch: number): number {
    return this.#nodes.get(this.#key(RUNS[kind], stage, microbatch))
  }

  /** Node of one end of a transfer; -1 when the order has none. */
  transfer(part: Transfer): number {
    return this.#nodes.get(this.keyOf(part))
  }

  rankOf(node: number): number {
    let rank = 0
    let [low, high] = [0, this.order.ranks.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      if (this.first[middle] <= node) {
        rank = middle
        low = middle + 1
      } else high = middle - 1
    }
    return rank
  }

  #key(name: number, stage: number, microbatch: number): number {
    return (microbatch * (this.#width + 1) + stage + 1) * NUM_NAMES + name
  }
}

type NodeTable = { readonly get: (key: number) => number; readonly set: (key: number, node: number) => void }

function nodeTable(size: number): NodeTable {
  if (size > MAX_DENSE) {
    const map = new Map<number, number>()
    return { get: key => map.get(key) ?? -1, set: (key, node) => void map.set(key, node) }
  }
  const nodes = new Int32Array(size).fill(-1)
  return {
    get: key => nodes[key] ?? -1,
    set: (key, node) => {
      nodes[key] = node
    }
  }
}

function placedParts(order: ForeignOrder, first: Int32Array): Placed[] {
  const parts: Placed[] = []
  for (const [rank, actions] of order.ranks.entries()) {
    for (let step = 0; step < actions.length; step++) {
      const action = actions[step]
      const node = first[rank] + step
      if (action.op === 'run' || action.op === 'send' || action.op === 'recv')
        parts.push({ part: action, rank, step, node })
      else for (const part of partsOf(action)) parts.push({ part, rank, step, node })
    }
  }
  return parts
}

const indexes = new WeakMap<ForeignOrder, PartIndex>()

/** The index of an order, built once. */
export function indexParts(order: ForeignOrder): PartIndex {
  const known = indexes.get(order)
  if (known) return known
  const index = new PartIndex(order)
  indexes.set(order, index)
  return index
}

export type { PartIndex }
