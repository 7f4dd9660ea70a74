import type { Tick } from '../schedule/measured.ts'
import type { Problem, Sequences } from '../schedule/problem.ts'
import { analyse } from './analysis.ts'
import type { Encoded } from './encoded.ts'
import type { FixedOrder } from './groups/logic/no-overlap.ts'
import type { Smt } from './model/types.ts'
import { encodeDecision } from './placement-smt.ts'

/** A body that fixes nothing. */
export function freeBody(problem: Problem): Sequences {
  return Array.from({ length: problem.ranks }, () => [])
}

/**
 * `joint` as a decision: is there any schedule at all, in any order of the stage events, that ends by `makespan` ticks?
 * Difference logic, exact, memory included. Interchangeable microbatches enter in ascending order.
 */
export function encodeJointSmt(problem: Problem, makespan: Tick): Encoded<Smt> {
  return encodeDecision(analyse(problem, freeBody(problem), makespan), interchangeable(problem))
}

/**
 * Microbatches that are alike in everything can be renamed, so the first stage may take them in ascending order: one order
 * in place of all permutations.
 */
export function interchangeable(problem: Problem): FixedOrder {
  const groupOf = new Map(
    problem.symmetric.flatMap((group, index) => group.map(microbatch => [microbatch, index] as const))
  )
  return (a, b) => {
    const [first, second] = [problem.events[a].key, problem.events[b].key]
    if (first.kind !== 'F' || second.kind !== 'F' || first.stage !== 0 || second.stage !== 0) return undefined
    const group = groupOf.get(first.microbatch)
    if (group === undefined || group !== groupOf.get(second.microbatch)) return undefined
    return first.microbatch < second.microbatch ? 'before' : 'after'
  }
}
