import type { TimedTransfer } from '../../schedule/document.ts'
import type { Ledger } from '../ledger.ts'
import type { Code } from '../violation.ts'
import { type Demand, demandsOf, nameOf, takesPlace } from './demand.ts'

/** A listed transfer with what demands it. Faulty ones are left out of later checks. */
export type Listed = { readonly transfer: TimedTransfer; readonly demand: Demand; fine: boolean }

/**
 * The transfers of a document (spec section 2, docs/decisions/0002-communication-models.md): those that it lists, and
 * those that the instance demands.
 */
export class Transfers {
  readonly listed: Listed[] = []
  #demands: ReadonlyMap<string, Demand> | undefined

  constructor(readonly ledger: Ledger) {}

  /** What the instance demands, by name: looked up only where transfers are listed, or must be. */
  get demands(): ReadonlyMap<string, Demand> {
    this.#demands ??= demandsOf(this.ledger)
    return this.#demands
  }

  /** UNKNOWN_EVENT, FOOTPRINT, DUPLICATE_EVENT. */
  enter(): void {
    const seen = new Set<string>()
    for (const transfer of this.ledger.document.transfers ?? []) {
      const name = nameOf(transfer)
      const demand = this.demands.get(name)
      if (!demand) this.#refuse(transfer)
      else if (seen.has(name))
        this.#report('DUPLICATE_EVENT', transfer, `${name} is listed twice`, 'List every transfer once.')
      else this.listed.push({ transfer, demand, fine: true })
      seen.add(name)
    }
  }

  /** The instance has no such transfer: because the gates forbid the gradient that it would carry, or at all. */
  #refuse(transfer: TimedTransfer): void {
    const { stages, source, measured } = this.ledger.rules
    const { kind, stage, microbatch } = transfer
    const known = Number.isInteger(microbatch) && microbatch >= 0 && microbatch < measured.microbatches
    const gated =
      known &&
      ((kind === 'recvGrad' && stage !== undefined && stage > 0 && stage < stages.length) ||
        (kind === 'scatter' && stage === 0 && source?.works[microbatch] === true))
    const name = nameOf(transfer)
    if (gated)
      this.#report('FOOTPRINT', transfer, `${name}: nobody needs that gradient, so the gates forbid it`, 'Remove it.')
    else this.#report('UNKNOWN_EVENT', transfer, `${name}: the instance has no such transfer`, 'Remove it.')
  }

  /** MISSING_EVENT: where transfers are events of their own, each one that takes place is listed. */
  checkMissing(): void {
    const { ledger } = this
    if (ledger.rules.measured.communication.model !== 'blocking') return
    const names = new Set(this.listed.map(({ transfer }) => nameOf(transfer)))
    for (const [name, demand] of this.demands) {
      if (!takesPlace(ledger, demand) || names.has(name)) continue
      const [from, to] = [ledger.rank[demand.producer], ledger.rank[demand.consumer]]
      const message = `${name} from rank ${from} to rank ${to} is not listed, and transfers block`
      ledger.report('MISSING_EVENT', ledger.place(demand.producer), message, 'List it under transfers.')
    }
  }

  /** WRONG_RANK: from its producer's rank to its consumer's, which differ. */
  checkRanks(): void {
    const { ledger } = this
    for (const one of this.standing()) {
      const { transfer, demand } = one
      const [from, to] = [ledger.rank[demand.producer], ledger.rank[demand.consumer]]
      if (transfer.from === from && transfer.to === to && from !== to) continue
      const path = from === to ? `both ends are on rank ${from}` : `it goes from rank ${from} to rank ${to}`
      const message = `${nameOf(transfer)} is listed from rank ${transfer.from} to rank ${transfer.to}, but ${path}`
      this.blame(one, 'WRONG_RANK', message, from === to ? 'Remove it.' : 'List it between those ranks.')
    }
  }

  /** DURATION: the stated length is the channel's. */
  checkDurations(): void {
    for (const one of this.standing()) {
      const { transfer, demand } = one
      const length = transfer.end - transfer.start
      if (length === demand.ticks) continue
      const message = `${nameOf(transfer)} takes ${length} ticks, its channel ${demand.ticks}`
      this.blame(one, 'DURATION', message, `Let it end at ${transfer.start + demand.ticks}.`)
    }
  }

  /** ORDER: the list is in start order. */
  checkOrder(): void {
    let last: Listed | undefined
    for (const one of this.standing()) {
      if (last && one.transfer.start < last.transfer.start) {
        const message = `${nameOf(one.transfer)} is listed after ${nameOf(last.transfer)}, which starts later`
        this.blame(one, 'ORDER', message, 'List transfers by their start.')
      } else last = one
    }
  }

  /** PRECEDENCE of the transfer itself: not before its producer has ended; what waits for it is the events' check. */
  checkPrecedence(): void {
    const { ledger } = this
    const overlapping = ledger.rules.measured.communication.model === 'latency'
    for (const one of this.standing()) {
      const { transfer, demand } = one
      const ready = ledger.end[demand.producer]
      if (transfer.start < ready)
        this.blame(
          one,
          'PRECEDENCE',
          `${nameOf(transfer)} starts at ${transfer.start}, before its producer ends at ${ready}`,
          `Start it at ${ready} or later.`
        )
      else if (overlapping && ledger.start[demand.consumer] < transfer.end) {
        const message = `${nameOf(transfer)} ends at ${transfer.end}, after what waits for it starts`
        this.blame(one, 'PRECEDENCE', message, 'Start it earlier, or what waits for it later.')
      }
    }
  }

  /** Listed transfers without fault whose two events are without fault. */
  standing(): readonly Listed[] {
    const { ledger } = this
    return this.listed.filter(
      ({ fine, demand }) => fine && ledger.isFine(demand.producer) && ledger.isFine(demand.consumer)
    )
  }

  blame(one: Listed, code: Code, message: string, advice: string): void {
    one.fine = false
    this.#report(code, one.transfer, message, advice, one.demand)
  }

  /** A transfer has no cell of its own: the report points at its producer. */
  #report(code: Code, transfer: TimedTransfer, message: string, advice: string, demand?: Demand): void {
    const { ledger } = this
    const at = demand && ledger.isFine(demand.producer) ? ledger.place(demand.producer) : { rank: transfer.from }
    ledger.report(code, at, message, advice)
  }
}
