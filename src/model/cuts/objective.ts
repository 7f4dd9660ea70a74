import { maximum, range } from '../../base/arrays.ts'
import { oneForwardOneBackwardStep, type PathCounts } from './step.ts'

/**
 * How long a step is taken to be. `exact`: all microbatches. `compressed`: with six or more rounds of P microbatches
 * only M mod P + 5P of them, and a stable period of P times the slowest stage for each round left out (the rule of
 * Huawei's fast-tuner, whose published optima use it).
 */
export type StepRule = 'exact' | 'compressed'

const ROUNDS = 5

/** Microbatches that are simulated, and rounds of P that are counted at the stable period. */
export function simulated(stages: number, microbatches: number, rule: StepRule) {
  const rounds = Math.floor(microbatches / stages)
  if (rule === 'exact' || rounds <= ROUNDS) return { microbatches, rounds: 0 }
  return { microbatches: (microbatches % stages) + ROUNDS * stages, rounds: rounds - ROUNDS }
}

/** Length of a 1F1B step under a rule, with its longest path. */
export function stepLength(
  forward: readonly number[],
  backward: readonly number[],
  microbatches: number,
  rule: StepRule
): { readonly length: number; readonly path: PathCounts } {
  const part = simulated(forward.length, microbatches, rule)
  const { makespan, path } = oneForwardOneBackwardStep(forward, backward, part.microbatches)
  const slowest = maximum(range(forward.length).map(stage => forward[stage] + backward[stage]))
  return { length: makespan + part.rounds * forward.length * slowest, path }
}
