import {
  describeAction,
  type ForeignOrder,
  farStage,
  listsTransfers,
  mirrorOf,
  peerOf,
  type Run,
  SOURCE,
  type Transfer
} from '../../schedule/foreign.ts'
import { indexParts, type PartIndex, type Placed } from './index-of-parts.ts'
import { type OrderViolation, placeOf } from './violation.ts'

/** What the order has to cover, where more is known than its own actions say. */
export type Expected = { readonly microbatches?: number; readonly stages?: number }

/** How many violations of one kind are listed before the rest is only counted. */
const MOST = 25

/**
 * Events and transfers that an order may and must have: none beyond its sizes, none twice (a B and an I of one
 * microbatch included), every stage on one rank, everything that something else needs, both ends of each transfer.
 */
export function checkEvents(order: ForeignOrder, expected: Expected = {}): OrderViolation[] {
  const sized = {
    ...order,
    microbatches: expected.microbatches ?? order.microbatches,
    stages: expected.stages ?? order.stages
  }
  const index = indexParts(order)
  const found: OrderViolation[] = []
  for (const placed of index.parts) {
    const violation =
      unknown(sized, placed) ?? duplicate(index, placed) ?? wrongRank(order, placed) ?? missingEnd(index, placed)
    if (violation) found.push({ ...violation, ...placeOf(order, placed.rank, placed.step) })
  }
  return [...found, ...missingRuns(sized, index), ...missingReceives(order, index), ...checkCollectives(order)].slice(
    0,
    MOST * 4
  )
}

function unknown(order: ForeignOrder, { part }: Placed): OrderViolation | undefined {
  const name = () => describeAction(part)
  const common = { code: 'UNKNOWN_EVENT', rule: 'V5', assumes: 'any' } as const
  if (part.microbatch >= order.microbatches)
    return {
      ...common,
      message: `${name()}: there are ${order.microbatches} microbatches`,
      advice: 'Count microbatches from 0.'
    }
  if (part.stage >= order.stages)
    return { ...common, message: `${name()}: there are ${order.stages} stages`, advice: 'Count stages from 0.' }
  if (part.op === 'run') return undefined
  const [far, peer] = [farStage(part), peerOf(order, part)]
  if (far >= order.stages || far < SOURCE || (far === SOURCE && peer < 0))
    return { ...common, message: `${name()}: there is no stage at the other end`, advice: 'Delete the transfer.' }
  const here = part.stage === SOURCE ? order.owners[part.microbatch] : order.stageToRank[part.stage]
  if (peer === here)
    return {
      ...common,
      message: `${name()}: both ends are on rank ${peer}`,
      advice: 'Stages of one rank hand over without a transfer; delete it.'
    }
  return undefined
}

function duplicate(index: PartIndex, { part, node }: Placed): OrderViolation | undefined {
  const first = part.op === 'run' ? index.run(part.kind, part.stage, part.microbatch) : index.transfer(part)
  if (first === node || first < 0) return undefined
  const rank = index.rankOf(first)
  const message = `${describeAction(part)} is listed twice: also on rank ${rank}, step ${first - index.first[rank]}`
  return {
    code: 'DUPLICATE_EVENT',
    rule: 'one event once',
    assumes: 'any',
    message,
    advice: 'Keep one of the two; B and I are both the backward.'
  }
}

/** Every stage sits on the rank where it is seen first (its source's events on the owner, or where the backward runs). */
function wrongRank(order: ForeignOrder, { part, rank }: Placed): OrderViolation | undefined {
  const home = homeOf(order, part)
  if (home < 0 || home === rank) return undefined
  const message = `${describeAction(part)} is on rank ${rank}, but its place is rank ${home}`
  return {
    code: 'WRONG_RANK',
    rule: 'V3',
    assumes: 'any',
    message,
    advice: `Move it to rank ${home}; a stage lives on one rank.`
  }
}

function homeOf(order: ForeignOrder, part: Run | Transfer): number {
  if (part.stage !== SOURCE) return order.stageToRank[part.stage] ?? -1
  const firstRank = part.op === 'run' && part.kind === 'EB' && order.encoderBackward === 'first-rank'
  return (firstRank ? order.stageToRank[0] : order.owners[part.microbatch]) ?? -1
}

function missingEnd(index: PartIndex, { part, rank }: Placed): OrderViolation | undefined {
  if (part.op === 'run') return undefined
  const mirror = mirrorOf(part)
  if (index.transfer(mirror) >= 0) return undefined
  const peer = peerOf(index.order, part)
  const message = `${describeAction(part)} on rank ${rank} has no ${mirror.op} on rank ${peer}`
  const advice =
    part.op === 'recv' ? 'The receive would wait forever; add the send.' : 'Add the receive, or drop the send.'
  return { code: 'MISSING_EVENT', rule: 'P1', assumes: part.op === 'recv' ? 'any' : 'sends-block', message, advice }
}

/** Runs that must exist: F of every stage and microbatch, backwards by stage, W where its I has one elsewhere. */
function missingRuns(order: ForeignOrder, index: PartIndex): OrderViolation[] {
  const found: OrderViolation[] = []
  const shares = sharesOf(order, index)
  const miss = (kind: string, stage: number, m: number) => {
    const name = stage === SOURCE ? `${kind}(microbatch ${m})` : `${kind}(stage ${stage}, microbatch ${m})`
    const rank = stage === SOURCE ? order.owners[m] : order.stageToRank[stage]
    const place = rank === undefined || rank < 0 ? {} : { rank }
    const message = `${name} is missing`
    found.push({
      code: 'MISSING_EVENT',
      rule: 'V4',
      assumes: 'any',
      ...place,
      message,
      advice: 'Add it to the rank of its stage.'
    })
  }
  const absent = new Array<boolean>(order.microbatches).fill(order.sparseSource)
  for (let stage = 0; stage < order.stages && found.length < MOST; stage++) {
    for (let m = 0; m < order.microbatches && found.length < MOST; m++) {
      absent[m] &&= stage < order.stages - 1 && index.run('F', stage, m) < 0 && index.run('B', stage, m) < 0
      if (absent[m]) continue
      if (index.run('F', stage, m) < 0) miss('F', stage, m)
      else if (shares.backward[stage] && index.run('B', stage, m) < 0) miss('B', stage, m)
      else if (shares.weight[stage]) checkWeight(order, index, stage, m, miss)
    }
  }
  for (let m = 0; m < order.microbatches && shares.source && found.length < MOST; m++)
    if (index.run('E', SOURCE, m) >= 0 && index.run('EB', SOURCE, m) < 0) miss('EB', SOURCE, m)
  return found
}

/** In a stage with weight parts, an I without W or a W without I is incomplete; a full B stands alone. */
function checkWeight(
  order: ForeignOrder,
  index: PartIndex,
  stage: number,
  m: number,
  miss: (kind: string, stage: number, m: number) => void
): void {
  const hasWeight = index.run('W', stage, m) >= 0
  const isSplit = isInput(order, index, index.run('B', stage, m), stage, m)
  if (isSplit && !hasWeight) miss('W', stage, m)
  if (!isSplit && hasWeight) miss('I', stage, m)
}

function isInput(order: ForeignOrder, index: PartIndex, node: number, stage: number, m: number): boolean {
  const rank = index.rankOf(node)
  const action = order.ranks[rank][node - index.first[rank]]
  const runs = action.op === 'overlap' ? action.parts : action.op === 'run' ? [action] : []
  return runs.some(run => run.kind === 'I' && run.stage === stage && run.microbatch === m)
}

/** Which stages have backwards and weight parts at all, and whether the source has backwards. */
function sharesOf(order: ForeignOrder, index: PartIndex): { backward: boolean[]; weight: boolean[]; source: boolean } {
  const backward = new Array<boolean>(order.stages).fill(order.backwardEverywhere)
  const weight = new Array<boolean>(order.stages).fill(false)
  let source = false
  for (const { part } of index.parts) {
    if (part.op !== 'run') continue
    if (part.kind === 'B' || part.kind === 'I') backward[part.stage] = true
    if (part.kind === 'W') weight[part.stage] = true
    if (part.kind === 'EB') source = true
  }
  for (let stage = 1; stage < order.stages; stage++) backward[stage] ||= backward[stage - 1]
  return { backward, weight, source }
}

/** Where transfers are listed, whatever a run needs from another rank must be received on its own. */
function missingReceives(order: ForeignOrder, index: PartIndex): OrderViolation[] {
  if (!listsTransfers(order)) return []
  const found: OrderViolation[] = []
  for (const { part, rank, step } of index.parts) {
    if (found.length >= MOST) break
    const receive = part.op === 'run' ? receiveOf(index, part, rank) : undefined
    if (!receive || index.transfer(receive) >= 0) continue
    const message = `${describeAction(part)} needs what rank ${peerOf(order, receive)} made, but rank ${rank} does not receive it`
    found.push({
      code: 'MISSING_EVENT',
      rule: 'P5',
      assumes: 'any',
      message,
      advice: 'Add the send and the receive.',
      ...placeOf(order, rank, step)
    })
  }
  return found
}

/** The receive that a run's input comes by, where it comes from another rank. */
export function receiveOf(index: PartIndex, run: Run, rank: number): Transfer | undefined {
  const { order } = index
  const { kind, stage, microbatch } = run
  const from = (payload: 'activation' | 'gradient'): Transfer | undefined => {
    const transfer: Transfer = { op: 'recv', payload, stage, microbatch }
    const peer = peerOf(order, transfer)
    return peer < 0 || peer === rank ? undefined : transfer
  }
  if (kind === 'F') return index.run(stage > 0 ? 'F' : 'E', stage - 1, microbatch) >= 0 ? from('activation') : undefined
  if (kind === 'B' || kind === 'I') return index.run('B', stage + 1, microbatch) >= 0 ? from('gradient') : undefined
  return kind === 'EB' && order.encoderBackward === 'owner' ? from('gradient') : undefined
}

/** Collectives: each exactly once on every rank, all ranks in the same order. */
function checkCollectives(order: ForeignOrder): OrderViolation[] {
  const lists = order.ranks.map(actions => actions.flatMap(action => (action.op === 'collective' ? [action.name] : [])))
  const names = [...new Set(lists.flat())]
  const found: OrderViolation[] = []
  for (const [rank, list] of lists.entries()) {
    for (const name of names) {
      const count = list.filter(other => other === name).length
      if (count === 1) continue
      const code = count === 0 ? 'MISSING_EVENT' : 'DUPLICATE_EVENT'
      const message = `rank ${rank} takes part in the ${name} ${count} times; every rank must exactly once`
      found.push({
        code,
        rule: 'collectives',
        assumes: 'any',
        rank,
        message,
        advice: `List the ${name} once on each rank.`
      })
    }
  }
  return found
}
