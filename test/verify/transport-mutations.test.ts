import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { orderOfDocument } from '../../src/formats/document-order.ts'
import {
  type Action,
  type ForeignOrder,
  foreignOrder,
  listsTransfers,
  mirrorOf,
  peerOf,
  type Run,
  SOURCE,
  type Transfer
} from '../../src/schedule/foreign.ts'
import { insertTransfers } from '../../src/schedule/transfers.ts'
import { checkOrder } from '../../src/verify/transport/check.ts'
import { repairTransfers } from '../../src/verify/transport/repair.ts'
import type { OrderCode } from '../../src/verify/transport/violation.ts'
import { sampleSchedules } from '../formats/orders.ts'
import { type Random, seededRandom } from '../support/generate.ts'

const samples = sampleSchedules(range(16), { maxRanks: 4, maxMicrobatches: 5, zeros: false })

/** Legal orders with their transfers, one per sample schedule. */
const orders = samples.map(({ document }) => {
  const lowered = insertTransfers(orderOfDocument(document))
  if (!lowered.ok) throw new Error('a legal schedule cannot be stuck')
  return { ...lowered.order, sparseSource: false }
})

const withRanks = (order: ForeignOrder, ranks: readonly (readonly Action[])[]) => foreignOrder(ranks, order)
const codesOf = (order: ForeignOrder) => [...new Set(checkOrder(order).violations.map(violation => violation.code))]
const changed = (order: ForeignOrder, rank: number, change: (list: Action[]) => Action[]) =>
  withRanks(
    order,
    order.ranks.map((list, r) => (r === rank ? change([...list]) : list))
  )

const isTransfer = (action: Action): action is Transfer => action.op === 'send' || action.op === 'recv'
const isRun = (action: Action): action is Run => action.op === 'run'

/** A place whose action passes the test, or undefined. */
function placeWhere(order: ForeignOrder, random: Random, test: (action: Action) => boolean) {
  const places = order.ranks.flatMap((list, rank) =>
    [...list.keys()].filter(i => test(list[i])).map(step => ({ rank, step }))
  )
  return places.length > 0 ? random.pick(places) : undefined
}

type Mutation = (order: ForeignOrder, random: Random) => ForeignOrder | undefined

const MUTATIONS: Readonly<Record<Exclude<OrderCode, 'RENDEZVOUS'>, Mutation>> = {
  DUPLICATE_EVENT: (order, random) => {
    const at = placeWhere(order, random, () => true)
    return at && changed(order, at.rank, list => list.toSpliced(random.int(at.step + 1, list.length), 0, list[at.step]))
  },
  MISSING_EVENT: (order, random) => {
    const at = placeWhere(order, random, action => isTransfer(action) || (isRun(action) && action.kind === 'F'))
    return at && changed(order, at.rank, list => list.toSpliced(at.step, 1))
  },
  WRONG_RANK: (order, random) => {
    if (order.ranks.length < 2 || order.microbatches < 2) return undefined
    const at = placeWhere(order, random, action => isRun(action) && action.stage >= 0)
    if (!at) return undefined
    const action = order.ranks[at.rank][at.step]
    const to = (at.rank + random.int(1, order.ranks.length - 1)) % order.ranks.length
    return changed(
      changed(order, at.rank, list => list.toSpliced(at.step, 1)),
      to,
      list => [...list, action]
    )
  },
  UNKNOWN_EVENT: (order, random) => {
    if (order.stages === 0) return undefined
    const last = order.stageToRank[order.stages - 1]
    const microbatch = random.int(0, order.microbatches - 1)
    const send: Transfer = { op: 'send', payload: 'activation', stage: order.stages - 1, microbatch }
    return changed(order, last, list => list.toSpliced(random.int(0, list.length), 0, send))
  },
  CYCLE: (order, random) => {
    const at = placeWhere(
      order,
      random,
      action => isRun(action) && (action.kind === 'B' || action.kind === 'I') && action.stage >= 0
    )
    if (!at) return undefined
    const { stage, microbatch } = order.ranks[at.rank][at.step] as Run
    const forward = order.ranks[at.rank].findIndex(
      a => isRun(a) && a.kind === 'F' && a.stage === stage && a.microbatch === microbatch
    )
    return changed(order, at.rank, list => {
      const [backward] = list.splice(at.step, 1)
      return list.toSpliced(forward, 0, backward)
    })
  },
  P2P_ORDER: (order, random) => {
    const at = placeWhere(order, random, action => action.op === 'recv')
    if (!at) return undefined
    const list = order.ranks[at.rank]
    const peer = peerOf(order, list[at.step] as Transfer)
    const before = list.findIndex((a, i) => i < at.step && a.op === 'recv' && peerOf(order, a) === peer)
    return before < 0
      ? undefined
      : changed(order, at.rank, all => all.toSpliced(at.step, 1).toSpliced(before, 0, list[at.step]))
  }
}

describe('mutations of legal orders', () => {
  it('the orders themselves are legal, and so are neighbours that only move local entries and bubbles', () => {
    const random = seededRandom(3)
    for (const order of orders) {
      expect(codesOf(order)).toEqual([])
      const rank = random.int(0, order.ranks.length - 1)
      const extra: Action = random.chance(0.5) ? { op: 'bubble' } : { op: 'local', name: 'UNSHARD', stage: 0 }
      expect(codesOf(changed(order, rank, list => list.toSpliced(random.int(0, list.length), 0, extra)))).toEqual([])
    }
    expect(orders.length).toBeGreaterThan(100)
  })

  it.each(Object.entries(MUTATIONS))('%s', (code, mutate) => {
    const random = seededRandom(code.length)
    let applied = 0
    for (const order of orders) {
      const mutant = mutate(order, random)
      if (!mutant) continue
      const { microbatches, stages } = order
      expect(checkOrder(mutant, { microbatches, stages }).violations.map(violation => violation.code)).toContain(code)
      applied++
    }
    expect(applied).toBeGreaterThanOrEqual(40)
  })
})

/** Runs an order step by step; true when it finishes. With `blocking` a send and its receive must meet. */
function finishes(order: ForeignOrder, blocking: boolean): boolean {
  const next = order.ranks.map(() => 0)
  const done = new Set<string>()
  const name = (action: Run | Transfer, rank: number) =>
    `${rank}/${action.op}/${'kind' in action ? action.kind : action.payload}/${action.stage}/${action.microbatch}`
  const head = (rank: number) => order.ranks[rank][next[rank]]
  const tryRank = (rank: number): boolean => {
    const action = head(rank)
    if (!action || !(isRun(action) || isTransfer(action))) return false
    if (isRun(action)) {
      if (!needsOf(order, action, rank).every(need => done.has(name(need, rank)))) return false
    } else {
      const mirror = mirrorOf(action)
      const peer = peerOf(order, action)
      const produced = action.op === 'recv' || producerOf(action).some(run => done.has(name(run, rank)))
      if (!produced) return false
      if (blocking) {
        const other = head(peer)
        if (!other || JSON.stringify(other) !== JSON.stringify(mirror)) return false
        if (mirror.op === 'send' && !producerOf(mirror).some(run => done.has(name(run, peer)))) return false
        done.add(name(mirror, peer))
        next[peer]++
      } else if (action.op === 'recv' && !done.has(name(mirror, peer))) return false
    }
    done.add(name(action, rank))
    next[rank]++
    return true
  }
  while (range(order.ranks.length).some(tryRank));
  return next.every((index, rank) => index === order.ranks[rank].length)
}

function producerOf({ payload, stage, microbatch }: Transfer): Run[] {
  const run = (kind: Run['kind']): Run => ({ op: 'run', kind, stage, microbatch })
  if (payload === 'gradient') return [run('B'), run('I')]
  return [run(stage === SOURCE ? 'E' : 'F')]
}

/** What a run needs on its own rank, receives included. */
function needsOf(order: ForeignOrder, { kind, stage, microbatch }: Run, rank: number): (Run | Transfer)[] {
  const list = order.ranks[rank]
  const here = (test: (action: Run | Transfer) => boolean) =>
    list.filter((a): a is Run | Transfer => (isRun(a) || isTransfer(a)) && a.microbatch === microbatch && test(a))
  const receive = (payload: Transfer['payload']) =>
    here(a => a.op === 'recv' && a.payload === payload && a.stage === stage)
  const runs = (kinds: readonly string[], at: number) => here(a => isRun(a) && kinds.includes(a.kind) && a.stage === at)
  const either = (received: (Run | Transfer)[], local: (Run | Transfer)[]) => (received.length > 0 ? received : local)
  if (kind === 'F') return either(receive('activation'), runs(['F', 'E'], stage - 1))
  if (kind === 'B' || kind === 'I')
    return [...runs(['F'], stage), ...either(receive('gradient'), runs(['B', 'I'], stage + 1))]
  if (kind === 'W') return runs(['I'], stage)
  if (kind === 'E') return []
  const graph = here(a => a.op === 'recv' && a.payload === 'graph')
  return [
    ...either(receive('gradient'), runs(['B', 'I'], 0)),
    ...(order.encoderBackward === 'owner' ? runs(['E'], SOURCE) : graph)
  ]
}

describe('transfers moved about', () => {
  /** Moves a transfer over its neighbours, a few times. */
  const shuffled = (order: ForeignOrder, random: Random): ForeignOrder => {
    let out = order
    for (let i = random.int(1, 3); i > 0; i--) {
      const at = placeWhere(out, random, isTransfer)
      if (!at) return out
      const to = Math.max(0, Math.min(out.ranks[at.rank].length - 1, at.step + random.int(-3, 3)))
      out = changed(out, at.rank, list => {
        const [action] = list.splice(at.step, 1)
        return list.toSpliced(to, 0, action)
      })
    }
    return out
  }

  it('the verdicts are those of running the order, buffered and blocking; every repair runs', () => {
    const random = seededRandom(17)
    const seen: Record<string, number> = { finishes: 0, 'hangs if sends block': 0, 'hangs always': 0, repaired: 0 }
    for (const order of orders.filter(listsTransfers).flatMap(base => range(10).map(() => shuffled(base, random)))) {
      const { violations } = checkOrder(order, { transports: ['buffered', 'rendezvous'] })
      const has = (code: OrderCode) => violations.some(violation => violation.code === code)
      const [buffered, blocking] = [finishes(order, false), finishes(order, true)]
      expect(has('CYCLE')).toBe(!buffered)
      if (buffered) expect(has('RENDEZVOUS')).toBe(!blocking)
      seen[blocking ? 'finishes' : buffered ? 'hangs if sends block' : 'hangs always']++
      if (blocking) continue
      const repair = repairTransfers(order)
      if (!repair.ok) continue
      expect(repair.changes.length).toBeGreaterThan(0)
      expect([codesOf(repair.order), finishes(repair.order, true)]).toEqual([[], true])
      seen.repaired++
    }
    for (const [what, count] of Object.entries(seen)) expect([what, count, count > 40]).toEqual([what, count, true])
  })
})
