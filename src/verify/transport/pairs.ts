import {
  type Action,
  describeAction,
  type ForeignOrder,
  mirrorOf,
  partsOf,
  peerOf,
  type Transfer
} from '../../schedule/foreign.ts'
import { indexParts, type PartIndex } from './index-of-parts.ts'
import { type OrderViolation, placeOf } from './violation.ts'

/** One end of a transfer on its way through the queue of an ordered rank pair. */
type Queued = { readonly part: Transfer; readonly rank: number; readonly step: number }

/** Per ordered rank pair and group (data has a group of its own), what is sent and what is received, in list order. */
type Queue = { readonly name: string; readonly sends: Queued[]; readonly receives: Queued[] }

/**
 * P1: on a transport with one queue per ordered rank pair, the k-th receive gets the k-th send. One violation per pair,
 * at the first receive that gets something else.
 */
export function checkPairOrder(order: ForeignOrder): OrderViolation[] {
  const index = indexParts(order)
  const key = ({ part }: Queued) => index.keyOf(part.op === 'recv' ? mirrorOf(part) : part)
  const found: OrderViolation[] = []
  for (const { name, sends, receives } of queuesOf(order)) {
    const shared = new Set(receives.map(key))
    const sent = sends.filter(queued => shared.has(key(queued)))
    const known = new Set(sent.map(key))
    const received = receives.filter(queued => known.has(key(queued)))
    const at = received.findIndex((queued, i) => sent[i] && key(queued) !== key(sent[i]))
    if (at < 0) continue
    const message = `${name}: item ${at + 1} sent is ${describeAction(sent[at].part)} (rank ${sent[at].rank}, step ${sent[at].step}), but the receiver expects ${describeAction(mirrorOf(received[at].part))}`
    found.push({
      code: 'P2P_ORDER',
      rule: 'P1',
      assumes: 'fifo',
      message,
      advice: 'List the transfers of a rank pair in the same order at both ends.',
      ...placeOf(order, received[at].rank, received[at].step)
    })
  }
  return found
}

function queuesOf(order: ForeignOrder): Iterable<Queue> {
  const queues = new Map<number, Queue>()
  for (const { part, rank, step } of indexParts(order).parts) {
    const peer = part.op === 'run' ? -1 : peerOf(order, part)
    if (part.op === 'run' || peer < 0) continue
    const [from, to] = part.op === 'send' ? [rank, peer] : [peer, rank]
    const isData = part.payload === 'data'
    const key = (from * order.ranks.length + to) * 2 + (isData ? 1 : 0)
    let queue = queues.get(key)
    if (!queue) {
      queue = { name: `rank ${from} to rank ${to}${isData ? ' (data)' : ''}`, sends: [], receives: [] }
      queues.set(key, queue)
    }
    const side = part.op === 'send' ? queue.sends : queue.receives
    side.push({ part, rank, step })
  }
  return queues.values()
}

/**
 * P3: batched exchanges. What one batch exchanges with a peer must be one batch of that peer: a single transfer facing
 * half of a two-way exchange hangs. P6: the first batched call needs every rank.
 */
export function checkBatches(order: ForeignOrder): OrderViolation[] {
  const index = indexParts(order)
  const found: OrderViolation[] = []
  const shapes = shapesOf(order, index)
  for (const [rank, actions] of order.ranks.entries()) {
    for (const [step, action] of actions.entries()) {
      const wrong = wrongShape(order, index, shapes, rank, action)
      if (wrong) found.push({ ...wrong, ...placeOf(order, rank, step) })
    }
    if (actions.some(isExchange) || order.ranks.length === 1) continue
    const message = `rank ${rank} has no transfer, but the first batched call needs every rank`
    found.push({
      code: 'MISSING_EVENT',
      rule: 'P6',
      assumes: 'batched',
      rank,
      message,
      advice: 'Use plain transfers, or fewer ranks.'
    })
  }
  return found.slice(0, 25)
}

function isExchange(action: Action): boolean {
  return partsOf(action).some(part => part.op !== 'run')
}

/** Per action and peer, the transfers that they exchange, as one text; empty for actions that exchange nothing. */
function shapesOf(order: ForeignOrder, index: PartIndex): ReadonlyMap<string, string> {
  const shapes = new Map<string, string>()
  for (const [rank, actions] of order.ranks.entries()) {
    for (const [step, action] of actions.entries()) {
      for (const [peer, parts] of byPeer(order, action))
        shapes.set(`${index.first[rank] + step}/${peer}`, shapeText(index, parts))
    }
  }
  return shapes
}

function byPeer(order: ForeignOrder, action: Action): Map<number, Transfer[]> {
  const groups = new Map<number, Transfer[]>()
  for (const part of partsOf(action)) {
    if (part.op === 'run') continue
    const peer = peerOf(order, part)
    groups.set(peer, [...(groups.get(peer) ?? []), part])
  }
  return groups
}

function shapeText(index: PartIndex, parts: readonly Transfer[]): string {
  const sends = parts.filter(part => part.op === 'send').map(part => index.keyOf(part))
  const receives = parts.filter(part => part.op === 'recv').map(part => index.keyOf(mirrorOf(part)))
  return `${sends.sort().join()}|${receives.sort().join()}`
}

function wrongShape(
  order: ForeignOrder,
  index: PartIndex,
  shapes: ReadonlyMap<string, string>,
  rank: number,
  action: Action
): OrderViolation | undefined {
  for (const [peer, parts] of byPeer(order, action)) {
    const other = index.transfer(mirrorOf(parts[0]))
    if (other < 0) continue
    const wanted = shapeText(index, parts.map(mirrorOf))
    if (shapes.get(`${other}/${rank}`) === wanted) continue
    const message = `the exchange of rank ${rank} with rank ${peer} (${parts.map(describeAction).join(', ')}) is not one exchange on rank ${peer}`
    return {
      code: 'P2P_ORDER',
      rule: 'P3',
      assumes: 'batched',
      message,
      advice: 'Group the same transfers at both ends, or send them one by one at both.'
    }
  }
  return undefined
}

/** What a batching runtime makes of a list: neighbouring stage transfers become one batch; other actions break runs. */
export function collapseBatches(order: ForeignOrder): ForeignOrder {
  const { positions: _, ...rest } = order
  return { ...rest, ranks: order.ranks.map(collapse) }
}

function collapse(actions: readonly Action[]): Action[] {
  const out: Action[] = []
  let run: Transfer[] = []
  const flush = () => {
    if (run.length > 0) out.push(run.length === 1 ? run[0] : { op: 'batch', parts: run })
    run = []
  }
  for (const action of actions) {
    const isStage =
      (action.op === 'send' || action.op === 'recv') &&
      (action.payload === 'activation' || action.payload === 'gradient')
    if (isStage) run.push(action)
    else {
      flush()
      out.push(action)
    }
  }
  flush()
  return out
}
