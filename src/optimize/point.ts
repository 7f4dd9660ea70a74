import type { BodyOrder } from '../algebra/orders/body.ts'
import { toDocument } from '../schedule/document.ts'
import { evaluate } from '../schedule/evaluate.ts'
import { delayEncodes } from '../schedule/just-in-time.ts'
import type { Measured } from '../schedule/measured.ts'
import { fitsMemory } from '../schedule/memory.ts'
import type { Problem, Schedule, Sequences } from '../schedule/problem.ts'
import { type Verified, verify } from '../verify/verify.ts'
import type { Violation } from '../verify/violation.ts'

/** A schedule that the checker accepted, with the form that the search works on. */
export type Point = { readonly verified: Verified; readonly schedule: Schedule }

/** An order as a checked point, or why it is none. */
export type Attempted =
  | { readonly kind: 'point'; readonly point: Point }
  | { readonly kind: 'cycle' }
  | { readonly kind: 'illegal'; readonly violations: readonly Violation[] }

/**
 * Times an order in exact ticks and has it checked. Where the earliest times exceed memory, encodes are delayed to just
 * before they are needed and the order is tried again.
 */
export function checkSequences(
  measured: Measured,
  problem: Problem,
  body: BodyOrder | undefined,
  sequences: Sequences
): Attempted {
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') return { kind: 'cycle' }
  const early = evaluation.schedule
  return checkSchedule(measured, problem, body, fitsMemory(problem, early) ? early : delayEncodes(problem, early))
}

/** Has a timed schedule checked; `body` is the order that the problem fixes, if it does. */
export function checkSchedule(
  measured: Measured,
  problem: Problem,
  body: BodyOrder | undefined,
  schedule: Schedule
): Attempted {
  const verdict = verify(measured, toDocument(problem, schedule), body ? { bodyFixed: body } : {})
  if (!verdict.legal) return { kind: 'illegal', violations: verdict.violations }
  return { kind: 'point', point: { verified: verdict.verified, schedule } }
}
