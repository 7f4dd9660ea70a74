import { toDocument } from '../schedule/document.ts'
import { evaluate } from '../schedule/evaluate.ts'
import { delayEncodes } from '../schedule/just-in-time.ts'
import type { Tick } from '../schedule/measured.ts'
import { fitsMemory } from '../schedule/memory.ts'
import type { Problem, Schedule, Sequences } from '../schedule/problem.ts'
import { serveLinks } from '../schedule/wire.ts'
import { type Verified, verify } from '../verify/verify.ts'
import type { Violation } from '../verify/violation.ts'
import type { Task } from './task.ts'

/** A schedule that the checker accepted, with the form that the search works on and the value that it minimises. */
export type Point = { readonly verified: Verified; readonly schedule: Schedule; readonly value: Tick }

/** An order as a checked point, or why it is none. */
export type Attempted =
  | { readonly kind: 'point'; readonly point: Point }
  | { readonly kind: 'cycle' }
  | { readonly kind: 'illegal'; readonly violations: readonly Violation[] }

/**
 * Times an order in exact ticks and has it checked. Where the earliest times exceed memory, encodes are delayed to just
 * before they are needed and the order is tried again.
 */
export function checkSequences(task: Task, sequences: Sequences): Attempted {
  const { problem } = task
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') return { kind: 'cycle' }
  const early = evaluation.schedule
  return checkSchedule(task, fitsMemory(problem, early) ? early : delayed(problem, early))
}

/** Encodes just in time, with the transfers that follow from it; transfers that block have no times but their listing's. */
function delayed(problem: Problem, early: Schedule): Schedule {
  if (problem.communication === 'blocking') return early
  const late = delayEncodes(problem, early)
  return problem.communication === 'link' ? { ...late, transferStart: serveLinks(problem, late) } : late
}

/** Has a timed schedule of a task checked. */
export function checkSchedule({ measured, problem, bodyOrder, objectiveOf }: Task, schedule: Schedule): Attempted {
  const verdict = verify(measured, toDocument(problem, schedule), bodyOrder ? { bodyFixed: bodyOrder } : {})
  if (!verdict.legal) return { kind: 'illegal', violations: verdict.violations }
  const { verified } = verdict
  return {
    kind: 'point',
    point: { verified, schedule, value: objectiveOf ? objectiveOf(schedule) : verified.makespan }
  }
}

/** How an attempt ended, in a few words. */
export function describeAttempt(attempt: Attempted): string {
  switch (attempt.kind) {
    case 'point':
      return `makespan ${attempt.point.verified.makespan}`
    case 'cycle':
      return 'cycle'
    case 'illegal':
      return `not legal: ${attempt.violations[0].code}`
  }
}
