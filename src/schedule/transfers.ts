import { range } from '../base/arrays.ts'
import { type Action, type ForeignOrder, mirrorOf, peerOf, type Run, runsOf, SOURCE, type Transfer } from './foreign.ts'

/** An action that a stuck rank cannot issue. */
export type Stuck = { readonly rank: number; readonly action: Action }

/** An order with its transfers, or the heads of all unfinished ranks when none can proceed. */
export type Lowered =
  | { readonly ok: true; readonly order: ForeignOrder }
  | { readonly ok: false; readonly stuck: readonly Stuck[] }

export type TransferOptions = {
  /** Start of the i-th action of a rank; issues actions in this order instead of sweeping the ranks. */
  readonly startOf?: (rank: number, index: number) => number
  /** Send the microbatch's input data ahead of every activation (runtimes that load data on the first rank). */
  readonly withData?: boolean
}

/**
 * Adds the transfers that an order without them needs. The order is issued as one global sequence, and each transfer is
 * appended to its sender's and its receiver's list at the moment its producer is issued: every rank's list is then a
 * projection of one sequence, so both ends of each rank pair agree on the order of their transfers, and no transport
 * can hang, sends that block included. Without start times, ranks take turns in ascending order, one action each.
 */
export function insertTransfers(order: ForeignOrder, options: TransferOptions = {}): Lowered {
  const run = new Lowering(order, options.withData ?? false)
  const { startOf } = options
  if (startOf) run.issueByStart(startOf)
  else run.sweep()
  const stuck = run.stuck()
  if (stuck.length > 0) return { ok: false, stuck }
  const { positions: _, ...rest } = order
  return { ok: true, order: { ...rest, ranks: run.lists } }
}

/** State of one pass: what was issued and what has arrived where. */
class Lowering {
  readonly lists: Action[][]
  readonly #order: ForeignOrder
  readonly #withData: boolean
  readonly #next: number[]
  readonly #seen = new Set<number>()
  /** Forwards and backwards that the order has at all: nothing waits for the others. */
  readonly #listed = new Set<number>()

  constructor(order: ForeignOrder, withData: boolean) {
    this.#order = order
    this.#withData = withData
    this.lists = order.ranks.map(() => [])
    this.#next = order.ranks.map(() => 0)
    for (const run of order.ranks.flatMap(actions => actions.flatMap(runsOf)))
      if (run.kind !== 'W' && run.kind !== 'EB')
        this.#listed.add(this.#key(0, run.kind === 'F' || run.kind === 'E', run.stage, run.microbatch))
  }

  sweep(): void {
    for (let progress = true; progress; ) {
      progress = false
      for (const rank of this.#order.ranks.keys()) progress = this.#issue(rank) || progress
    }
  }

  issueByStart(startOf: (rank: number, index: number) => number): void {
    const ranks = range(this.#order.ranks.length)
    for (;;) {
      const open = ranks.filter(rank => this.#next[rank] < this.#order.ranks[rank].length)
      open.sort((a, b) => startOf(a, this.#next[a]) - startOf(b, this.#next[b]) || a - b)
      if (!open.some(rank => this.#issue(rank))) return
    }
  }

  stuck(): Stuck[] {
    return [...this.#order.ranks.entries()]
      .filter(([rank, actions]) => this.#next[rank] < actions.length)
      .map(([rank, actions]) => ({ rank, action: actions[this.#next[rank]] }))
  }

  #head(rank: number): Action | undefined {
    return this.#order.ranks[rank][this.#next[rank]]
  }

  /** Issues the next action of a rank if it is ready; a collective takes the heads of all ranks at once. */
  #issue(rank: number): boolean {
    const action = this.#head(rank)
    if (!action) return false
    if (action.op === 'collective') return this.#issueCollective(action.name)
    if (!runsOf(action).every(run => this.#isReady(rank, run))) return false
    for (const run of runsOf(action)) if (run.kind === 'EB') this.#fetchGradient(rank, run)
    this.lists[rank].push(action)
    this.#next[rank]++
    for (const run of runsOf(action)) this.#finish(rank, run)
    return true
  }

  #issueCollective(name: 'broadcast' | 'reduce'): boolean {
    const ranks = range(this.#order.ranks.length)
    const heads = ranks.map(rank => this.#head(rank))
    if (!heads.every(head => head?.op === 'collective' && head.name === name)) return false
    for (const rank of ranks) {
      this.lists[rank].push(heads[rank]!)
      this.#next[rank]++
    }
    return true
  }

  #isReady(rank: number, { kind, stage, microbatch: m }: Run): boolean {
    const has = (isForward: boolean, at: number, where = rank) =>
      !this.#listed.has(this.#key(0, isForward, at, m)) || this.#seen.has(this.#key(where, isForward, at, m))
    const { encoderBackward, stageToRank } = this.#order
    switch (kind) {
      case 'E':
        return true
      case 'EB':
        return (encoderBackward === 'first-rank' || has(true, SOURCE)) && has(false, 0, stageToRank[0])
      case 'F':
        return has(true, stage - 1)
      case 'B':
      case 'I':
        return has(true, stage) && has(false, stage + 1)
      case 'W':
        return has(false, stage)
    }
  }

  /** Dense number of a result on a rank: the forward or backward of a stage and microbatch. */
  #key(rank: number, isForward: boolean, stage: number, microbatch: number): number {
    const { stages, microbatches } = this.#order
    return ((rank * (stages + 2) + stage + 1) * microbatches + microbatch) * 2 + (isForward ? 1 : 0)
  }

  /** Notes what a run produced, and moves it to the rank that needs it. */
  #finish(rank: number, { kind, stage, microbatch }: Run): void {
    if (kind === 'W' || kind === 'EB') return
    const isForward = kind === 'F' || kind === 'E'
    this.#seen.add(this.#key(rank, isForward, stage, microbatch))
    for (const transfer of this.#transfersAfter(isForward, stage, microbatch)) {
      const peer = peerOf(this.#order, transfer)
      if (peer === rank || peer < 0) continue
      this.lists[rank].push(transfer)
      this.lists[peer].push(mirrorOf(transfer))
      this.#seen.add(this.#key(peer, isForward, stage, microbatch))
    }
  }

  #transfersAfter(isForward: boolean, stage: number, microbatch: number): Transfer[] {
    const { stages, encoderBackward } = this.#order
    const send = (payload: Transfer['payload']): Transfer => ({ op: 'send', payload, stage, microbatch })
    if (isForward) {
      if (stage === stages - 1) return []
      const data = this.#withData ? [send('data')] : []
      const needsGraph = stage === SOURCE && encoderBackward === 'first-rank'
      return [...data, send('activation'), ...(needsGraph ? [send('graph')] : [])]
    }
    return stage > 0 ? [send('gradient')] : []
  }

  /**
   * The gradient that an owner's backward starts from is moved when that backward is issued, not when it is ready: some
   * runtimes receive and run it in one step, and a send that waits for it must not stand before work that it waits for.
   */
  #fetchGradient(rank: number, { microbatch }: Run): void {
    const first = this.#order.stageToRank[0]
    if (this.#order.encoderBackward !== 'owner' || first === undefined || first === rank) return
    const send: Transfer = { op: 'send', payload: 'gradient', stage: 0, microbatch }
    this.lists[first].push(send)
    this.lists[rank].push(mirrorOf(send))
  }
}
