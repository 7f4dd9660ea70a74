import type { EventId } from '../../../schedule/problem.ts'
import type { Analysis } from '../../analysis.ts'
import type { MilpBuilder } from '../../model/builder.ts'
import type { Term, Variable } from '../../model/types.ts'

/** A point of a rank's line: a body task, a joint between two halves of a gap, time 0, or the makespan. */
export type Task = {
  readonly event?: EventId
  /** Absent for time 0. */
  readonly start?: Variable
  readonly duration: number
  readonly head: number
  readonly latest: number
}

/** A free event that may stand in a gap, and the binary that says so. */
export type Slot = { readonly event: EventId; readonly gap: Gap; readonly variable: Variable }

/**
 * The room between two tasks of a rank's line. Encodes run by the order in which the body needs them, encoder backwards by
 * the order in which the body yields them. A gap that has both is `mixed`: how they alternate is open, and groups that
 * would have to know say less there. `place` is the body position of what follows (body length at the end).
 */
export type Gap = {
  readonly rank: number
  readonly place: number
  readonly previous: Task
  readonly next: Task
  readonly encodes: Slot[]
  readonly backwards: Slot[]
}

/** Whether a gap has both kinds, in no stated order. */
export function isMixed(gap: Gap): boolean {
  return gap.encodes.length > 0 && gap.backwards.length > 0
}

/** What the groups of the slot model share. */
export type SlotContext = {
  readonly analysis: Analysis
  readonly milp: MilpBuilder
  /** The makespan as the task that every line ends with. */
  readonly end: Task
  /** Start variable of each body event. */
  readonly start: ReadonlyMap<EventId, Variable>
  /** Gaps of each rank in order. */
  readonly gaps: readonly (readonly Gap[])[]
  /** Slots of each free event. */
  readonly slotsOf: ReadonlyMap<EventId, readonly Slot[]>
}

/** The end of a task as terms and a constant. */
export function endOf(task: Task): { readonly terms: Term[]; readonly constant: number } {
  return { terms: task.start === undefined ? [] : [[task.start, 1]], constant: task.duration }
}

/** Total length of slots, as terms; `sign` 1 or -1. */
export function lengthTerms({ analysis }: SlotContext, slots: readonly Slot[], sign: 1 | -1): Term[] {
  return slots.map(({ event, gap, variable }) => [variable, sign * analysis.duration(event, gap.rank)])
}

/** Sum of terms <= bound where the slot is used; `slack` is what must be given where it is not. */
export function whenUsed(slot: Slot, slack: number): { readonly terms: Term[]; readonly constant: number } {
  const big = Math.max(0, slack)
  return { terms: [[slot.variable, -big]], constant: big }
}
