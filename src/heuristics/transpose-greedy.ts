import { greedyOwners } from '../algebra/owners.ts'
import { range, sum } from '../base/arrays.ts'
import { bodyOrder, bodySequences, indexEvents } from '../schedule/body.ts'
import { evaluateBackbone } from '../schedule/closed-form.ts'
import type { Family } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import type { Problem } from '../schedule/problem.ts'
import { applyTranspose } from './transpose.ts'

/** The heaviest encodes go to the ranks with the longest warmup slack. */
export const transposeGreedy: Family = {
  id: 'transpose-greedy',
  title: 'transpose, heaviest encodes to the longest warmup slack, each as a prefix',
  source: 'HyperParallel-Mpipe (arXiv 2607.03229) section 4.3, greedy min-max assignment of spill',
  apply: measured =>
    applyTranspose(measured, (instance, problem) => {
      const { work, slack } = encodesAndSlack(instance, problem)
      const owners = greedyOwners(work, slack)
      return m => ({ rank: owners[m], at: 'prefix' })
    })
}

/** Encode ticks of every microbatch (M entries) and the warmup slack w_r of every rank (P entries). */
export function encodesAndSlack(measured: Measured, problem: Problem): { work: number[]; slack: readonly number[] } {
  const slack =
    evaluateBackbone(problem, bodySequences(problem, bodyOrder(measured)))?.warmupSlack ??
    range(measured.ranks).map(() => 0)
  const index = indexEvents(problem)
  const work = range(measured.microbatches).map(m =>
    sum(index.encodes('E', m).map(id => problem.events[id].modes[0].duration))
  )
  return { work, slack }
}
