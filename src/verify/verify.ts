import type { BodyOrder } from '../algebra/orders/body.ts'
import { type Fault, FaultError } from '../base/fault.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import type { CommunicationModel, Measured, Tick } from '../schedule/measured.ts'
import { checkBarrier } from './barrier.ts'
import { checkDurations, checkMissing, checkRanks, enterEvents } from './identity.ts'
import { Ledger } from './ledger.ts'
import { checkMemory } from './memory.ts'
import { checkPairs, joinPairs } from './overlap.ts'
import { rulesOf } from './rules.ts'
import { checkOrder, checkOverlap, checkPrecedence } from './times.ts'
import { checkBlocking } from './transfers/blocking.ts'
import { checkLinks } from './transfers/link.ts'
import { Transfers } from './transfers/transfers.ts'
import type { Violation } from './violation.ts'

declare const checked: unique symbol

/** A schedule that passed `verify`, which alone makes such values. `makespan` in ticks. */
export type Verified = {
  readonly document: ScheduleDocument
  readonly makespan: Tick
  readonly verified: true
  readonly [checked]: true
}

/** The checker's answer: legal, or every fault with one code each. */
export type Verdict =
  | { readonly legal: true; readonly verified: Verified }
  | { readonly legal: false; readonly violations: readonly Violation[] }

export type VerifyOptions = {
  /** The body order that the problem fixes; changing it is an ORDER fault, I and W are UNKNOWN_EVENT, and nothing overlaps. */
  readonly bodyFixed?: BodyOrder
}

/**
 * Whether a timed schedule of an instance is legal: spec section 5, codes in order of first match, a faulty event left
 * out of later checks. Shares nothing with the evaluator but the algebra.
 * @throws FaultError when the document is about another instance, or NOT_YET outside the timed scope
 */
export function verify(measured: Measured, document: ScheduleDocument, options: VerifyOptions = {}): Verdict {
  const rules = rulesOf(measured)
  checkHeader(measured, document)
  const ledger = new Ledger(rules, document)
  enterEvents(ledger, options.bodyFixed ? 'never' : 'where-given')
  joinPairs(ledger)
  const transfers = new Transfers(ledger)
  transfers.enter()
  checkMissing(ledger)
  checkRanks(ledger)
  transfers.checkMissing()
  transfers.checkRanks()
  checkDurations(ledger)
  transfers.checkDurations()
  checkOrder(ledger, options.bodyFixed)
  transfers.checkOrder()
  checkPairs(ledger, options.bodyFixed === undefined)
  checkOverlap(ledger)
  checkTransferModel(transfers, measured.communication.model)
  transfers.checkPrecedence()
  checkPrecedence(ledger)
  checkMemory(ledger)
  checkBarrier(ledger)
  if (ledger.violations.length > 0) return { legal: false, violations: ledger.violations }
  const verified = { document, makespan: document.makespan, verified: true } as Verified
  return { legal: true, verified }
}

/** What the communication model demands of transfers besides: see docs/decisions/0002-communication-models.md. */
function checkTransferModel(transfers: Transfers, model: CommunicationModel): void {
  if (model === 'link') checkLinks(transfers)
  if (model === 'blocking') checkBlocking(transfers)
}

/** What the document says about itself must be said about this instance, else its numbers mean something else. */
function checkHeader(measured: Measured, document: ScheduleDocument): void {
  const rows: readonly (readonly [path: string, value: unknown, wanted: unknown])[] = [
    ['format', document.format, 'tropipe.schedule/1'],
    ['instance', document.instance, measured.hash],
    ['P', document.P, measured.ranks],
    ['M', document.M, measured.microbatches],
    ['unit', document.unit, measured.unit],
    ['ticksPerUnit', document.ticksPerUnit, measured.ticksPerUnit],
    ['ranks', document.ranks.length, measured.ranks]
  ]
  const faults: Fault[] = rows
    .filter(([, value, wanted]) => value !== wanted)
    .map(([path, value, wanted]) => ({
      code: 'OTHER_INSTANCE',
      path,
      value,
      message: `the schedule says ${JSON.stringify(value)}, the instance ${JSON.stringify(wanted)}`,
      advice: 'Give the instance that the schedule was made for.'
    }))
  if (faults.length > 0) throw new FaultError(faults)
}
