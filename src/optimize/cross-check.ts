import { transposeFull } from '../heuristics/transpose-full.ts'
import { closedForm } from '../schedule/closed-form.ts'
import { evaluate } from '../schedule/evaluate.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import { fitsMemory } from '../schedule/memory.ts'
import type { Problem, Sequences } from '../schedule/problem.ts'
import { latencyRelaxation } from '../schedule/relax.ts'
import type { CrossCheck } from './types.ts'

/** What a search knows of the makespan: its best, what was proved of it, and what holds whatever the capacities. */
export type KnownMakespan = {
  readonly best: Tick | undefined
  readonly lowerBound: Tick
  readonly boundWithoutMemory: () => Tick
}

/**
 * The search's best makespan against the closed form of `transpose-full`. That order is in the searched set of every
 * problem, so where it is legal no proved bound, and so no optimum, may exceed it; a search that was stopped may not have
 * come to it. Where it exceeds memory, or something else is minimised, only a bound that ignores memory may be compared.
 */
export function crossCheck(measured: Measured, known: KnownMakespan, minimisesMakespan: boolean): CrossCheck {
  const family = transposeFull.apply(measured)
  if (family.kind !== 'order') return { holds: 'not-applicable', why: family.reason }
  // The closed form speaks of latency communication; other models can only take longer.
  const problem = latencyRelaxation(family.problem)
  const form = closedForm(problem, family.sequences)
  if (!form) return { holds: 'not-applicable', why: "the schedule has no backbone, so the paper's sum is undefined" }
  const exactLegal = problem === family.problem && fits(problem, family.sequences)
  const identity = form.exact === form.paper - form.absorbed + form.arrival + form.drain
  const signs = form.absorbed >= 0 && form.arrival >= 0 && form.drain >= 0
  const bound = minimisesMakespan && exactLegal ? known.lowerBound : known.boundWithoutMemory()
  const holds = identity && signs && bound <= form.exact
  return { closedForm: { ...form, exactLegal }, optimum: known.best, holds }
}

/** Whether an order run as early as it may stays within every rank's memory. */
function fits(problem: Problem, sequences: Sequences): boolean {
  if (problem.capacity.every(limit => limit === undefined)) return true
  const evaluation = evaluate(problem, sequences)
  return evaluation.kind === 'schedule' && fitsMemory(problem, evaluation.schedule)
}
