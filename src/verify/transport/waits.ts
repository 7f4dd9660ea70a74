import { type ForeignOrder, listsTransfers, mirrorOf, type Run, SOURCE, type Transfer } from '../../schedule/foreign.ts'
import { receiveOf } from './events.ts'
import { indexParts, type PartIndex } from './index-of-parts.ts'

/** Why a node waits for another one. */
export const WAITS = ['list', 'needs', 'arrives', 'posted', 'collective'] as const
export type Wait = (typeof WAITS)[number]

/** Edges `from` -> `to`: `to` cannot end before `from` has. Nodes are the actions, rank by rank, then helper nodes. */
export type WaitGraph = {
  readonly index: PartIndex
  readonly numNodes: number
  readonly numEdges: number
  readonly from: Int32Array
  readonly to: Int32Array
  /** Index into `WAITS`. */
  readonly why: Uint8Array
}

/** Growing edge list in typed arrays. */
class Edges {
  from = new Int32Array(1024)
  to = new Int32Array(1024)
  why = new Uint8Array(1024)
  count = 0

  add(from: number, to: number, why: Wait): void {
    if (from < 0 || to < 0) return
    if (this.count === this.from.length) this.#grow()
    this.from[this.count] = from
    this.to[this.count] = to
    this.why[this.count++] = WAITS.indexOf(why)
  }

  #grow(): void {
    const size = this.from.length * 2
    const copy = <T extends Int32Array | Uint8Array>(into: T, old: T): T => {
      into.set(old)
      return into
    }
    this.from = copy(new Int32Array(size), this.from)
    this.to = copy(new Int32Array(size), this.to)
    this.why = copy(new Uint8Array(size), this.why)
  }
}

/**
 * What waits for what when an order runs. `blocking` false: a send ends when it is issued, a receive when its send was.
 * `blocking` true: neither end of a transfer ends before the other end's rank has come to it, that is, before that
 * rank's previous action has ended; the transfers of one action are posted together.
 */
export function waitGraph(order: ForeignOrder, blocking: boolean): WaitGraph {
  const index = indexParts(order)
  const edges = new Edges()
  const total = index.first[order.ranks.length]
  const arrivals = arrivalNodes(order, index)
  addLists(order, index, edges)
  const withTransfers = listsTransfers(order)
  for (const { part, rank, node } of index.parts) {
    if (part.op === 'run') addNeeds(order, index, edges, arrivals, { run: part, rank, node, withTransfers })
    else addTransfer(index, edges, arrivals, part, node, blocking)
  }
  const helpers = addCollectives(order, index, edges, total)
  const { from, to, why, count } = edges
  return { index, numNodes: total + helpers, numEdges: count, from, to, why }
}

function addLists(order: ForeignOrder, index: PartIndex, edges: Edges): void {
  for (const rank of order.ranks.keys())
    for (let node = index.first[rank] + 1; node < index.first[rank + 1]; node++) edges.add(node - 1, node, 'list')
}

/**
 * Where a receive really takes place: at its own action, or, where the first receive of a feature takes all of them, at
 * that first one.
 */
type Arrivals = (transfer: Transfer) => number

function arrivalNodes(order: ForeignOrder, index: PartIndex): Arrivals {
  const own: Arrivals = transfer => index.transfer(transfer)
  if (order.featureReceive === 'each') return own
  let first = -1
  for (const { part, node } of index.parts) if (first < 0 && isFeatureReceive(part)) first = node
  return transfer => (isFeatureReceive(transfer) && own(transfer) >= 0 ? first : own(transfer))
}

function isFeatureReceive(part: Run | Transfer): boolean {
  return part.op === 'recv' && part.payload === 'activation' && part.stage === 0
}

type PlacedRun = { readonly run: Run; readonly rank: number; readonly node: number; readonly withTransfers: boolean }

/** Edges to a run from what it needs: results of its own rank, receives, or (no transfers listed) other ranks' results. */
function addNeeds(order: ForeignOrder, index: PartIndex, edges: Edges, arrivals: Arrivals, placed: PlacedRun): void {
  const { run, rank, node, withTransfers } = placed
  const { kind, stage, microbatch: m } = run
  const need = (other: number) => edges.add(other, node, 'needs')
  const receive = withTransfers ? receiveOf(index, run, rank) : undefined
  if (kind === 'F') {
    need(receive ? arrivals(receive) : index.run(stage === 0 ? 'E' : 'F', stage - 1, m))
    need(index.transfer({ op: 'recv', payload: 'data', stage, microbatch: m }))
  } else if (kind === 'B' || kind === 'I') {
    need(index.run('F', stage, m))
    if (stage < order.stages - 1) need(receive ? arrivals(receive) : index.run('B', stage + 1, m))
  } else if (kind === 'W') need(index.run('B', stage, m))
  else if (kind === 'EB') {
    need(receive ? arrivals(receive) : index.run('B', 0, m))
    if (order.encoderBackward === 'owner' || !withTransfers) need(index.run('E', SOURCE, m))
    else need(index.transfer({ op: 'recv', payload: 'graph', stage: 0, microbatch: m }))
  }
}

function addTransfer(
  index: PartIndex,
  edges: Edges,
  arrivals: Arrivals,
  part: Transfer,
  node: number,
  blocking: boolean
): void {
  const { payload, stage, microbatch: m } = part
  if (part.op === 'send') {
    const producer = payload === 'gradient' ? 'B' : stage === SOURCE ? 'E' : 'F'
    if (payload !== 'data') edges.add(index.run(producer, stage, m), node, 'needs')
    else edges.add(index.transfer({ ...part, op: 'recv' }), node, 'needs')
    if (blocking) edges.add(before(index, arrivals(mirrorOf(part))), node, 'posted')
    return
  }
  const send = index.transfer(mirrorOf(part))
  const here = arrivals(part)
  if (blocking) edges.add(before(index, send), here, 'posted')
  else edges.add(isBatch(index, send) ? before(index, send) : send, here, 'arrives')
}

/** Whether a node posts several transfers together, so that its sends are on their way before its receives end. */
function isBatch(index: PartIndex, node: number): boolean {
  if (node < 0) return false
  const rank = index.rankOf(node)
  return index.order.ranks[rank][node - index.first[rank]].op === 'batch'
}

/** The action before a node on its rank; -1 for the first one. */
function before(index: PartIndex, node: number): number {
  return node < 0 || node === index.first[index.rankOf(node)] ? -1 : node - 1
}

/** One helper node per collective: it waits for every rank to come to it, and every rank for it. */
function addCollectives(order: ForeignOrder, index: PartIndex, edges: Edges, total: number): number {
  const helpers = new Map<string, number>()
  for (const [rank, actions] of order.ranks.entries()) {
    const seen = new Set<string>()
    for (const [step, action] of actions.entries()) {
      if (action.op !== 'collective' || seen.has(action.name)) continue
      seen.add(action.name)
      const helper = helpers.get(action.name) ?? total + helpers.size
      helpers.set(action.name, helper)
      const node = index.first[rank] + step
      edges.add(before(index, node), helper, 'collective')
      edges.add(helper, node, 'collective')
      addReplicaNeeds(order, edges, index, rank, action.name, node)
    }
  }
  return helpers.size
}

/** The parameter broadcast comes before a rank's forwards of the source, the reduction after its backwards. */
function addReplicaNeeds(
  order: ForeignOrder,
  edges: Edges,
  index: PartIndex,
  rank: number,
  name: 'broadcast' | 'reduce',
  node: number
): void {
  for (const [step, action] of order.ranks[rank].entries()) {
    const kind = action.op === 'run' ? action.kind : ''
    const other = index.first[rank] + step
    if (name === 'broadcast' && kind === 'E') edges.add(node, other, 'needs')
    if (name === 'reduce' && kind === 'EB') edges.add(other, node, 'needs')
  }
}
