import { range } from '../base/arrays.ts'
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
      const owners = greedyOwners(instance, problem)
      return m => ({ rank: owners[m], at: 'prefix' })
    })
}

/**
 * Owners by the greedy rule: microbatches by decreasing encode (ties: lower m), each to the rank with the largest w_r
 * minus work already given (ties: lower rank). M entries.
 */
export function greedyOwners(measured: Measured, problem: Problem): number[] {
  const slack =
    evaluateBackbone(problem, bodySequences(problem, bodyOrder(measured)))?.warmupSlack ??
    range(measured.ranks).map(() => 0)
  const left = [...slack]
  const index = indexEvents(problem)
  const encode = range(measured.microbatches).map(m => {
    const id = index.find('E', -1, m)
    return id === undefined ? 0 : problem.events[id].modes[0].duration
  })
  const owners = new Array<number>(measured.microbatches).fill(0)
  for (const m of range(measured.microbatches).sort((a, b) => encode[b] - encode[a] || a - b)) {
    const rank = left.indexOf(Math.max(...left))
    owners[m] = rank
    left[rank] -= encode[m]
  }
  return owners
}
