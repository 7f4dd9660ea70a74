import { sum } from '../base/arrays.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import type { Measured } from '../schedule/measured.ts'
import { timeText } from '../schedule/quantities.ts'
import { listViolations, renderGrid } from '../verify/grid.ts'
import { type VerifyOptions, verify } from '../verify/verify.ts'
import type { Violation } from '../verify/violation.ts'
import type { ProofDocument } from './proof.ts'

/** A proof as a document and as text for people. */
export type Proof = { readonly document: ProofDocument; readonly text: string }

/**
 * Strength *this schedule*: every rule of spec section 5 on one timed schedule. `columns`: width of the text's grid.
 * @throws FaultError when the document is about another instance
 */
export function proveSchedule(
  measured: Measured,
  document: ScheduleDocument,
  options: VerifyOptions = {},
  columns?: number
): Proof {
  const verdict = verify(measured, document, options)
  return proofOf(document, verdict.legal ? [] : verdict.violations, columns)
}

/** The proof of a schedule with these faults; legal where there are none. */
export function proofOf(document: ScheduleDocument, violations: readonly Violation[], columns?: number): Proof {
  const legal = violations.length === 0
  const makespan = document.makespan
  return {
    document: { format: 'tropipe.proof/1', legal, strength: 'this schedule', makespan, violations },
    text: legal ? legalText(document) : illegalText(document, violations, columns)
  }
}

function legalText(document: ScheduleDocument): string {
  const { ranks, P, M, makespan } = document
  const events = sum(ranks.map(list => list.length))
  return `legal: ${events} events on ${P} ranks, ${M} microbatches, makespan ${timeText(makespan, document)}\n`
}

function illegalText(document: ScheduleDocument, violations: readonly Violation[], columns?: number): string {
  const [first, ...rest] = violations
  const more = rest.length > 0 ? `\nand ${rest.length} more:\n${listViolations(rest)}\n` : ''
  const faults = violations.length === 1 ? '1 fault' : `${violations.length} faults`
  return `not legal: ${faults}\n\n${renderGrid(document, first, columns)}\n${more}`
}
