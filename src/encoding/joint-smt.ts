import type { Tick } from '../schedule/measured.ts'
import type { Kind, Problem, Sequences } from '../schedule/problem.ts'
import { analyse } from './analysis.ts'
import type { Encoded } from './encoded.ts'
import type { FixedOrder } from './groups/logic/no-overlap.ts'
import type { Smt } from './model/types.ts'
import { encodeDecision } from './placement-smt.ts'
import { named, type Positions, positionsOf } from './positions.ts'

/** A body that fixes nothing. */
export function freeBody(problem: Problem): Sequences {
  return Array.from({ length: problem.ranks }, () => [])
}

/**
 * `joint` as a decision: is there any schedule at all, in any order of the stage events, that ends by `makespan` ticks?
 * Difference logic, exact, memory included. Interchangeable microbatches enter in ascending order.
 */
export function encodeJointSmt(problem: Problem, makespan: Tick): Encoded<Smt> {
  const positions = positionsOf(problem)
  if (positions) {
    const analysis = analyse(positions.problem, freeBody(problem), makespan)
    return named(
      positions,
      encodeDecision(analysis, interchangeable(positions.problem, true), 'latency', true, positions)
    )
  }
  return encodeDecision(
    analyse(problem, freeBody(problem), makespan),
    interchangeable(problem),
    'latency',
    problem.ties.length === 0
  )
}

/**
 * `reorder` as a decision: the body's pattern stands, and who enters k-th is free. Only by positions of entry: where the
 * bodies of two microbatches differ, or something besides entry tells them apart, there is no such model.
 */
export function encodeReorderSmt(positions: Positions, body: Sequences, makespan: Tick): Encoded<Smt> {
  const analysis = analyse(positions.problem, body, makespan)
  return named(
    positions,
    encodeDecision(analysis, () => undefined, 'latency', false, positions)
  )
}

/** Stage events, whose relabelling moves no work between ranks. */
const STAGE_KINDS: readonly Kind[] = ['F', 'B', 'I', 'W']

/**
 * Microbatches that are alike in everything can be renamed. Sorting the times of each kind and stage within a group of
 * them keeps every schedule legal: if each of some events starts a lag after its partner, so does the k-th after the
 * k-th; and memory counts how many have started and ended, not which. So all stage events may be taken in ascending
 * order. Where an encoder backward must run on its encode's rank, renaming could part the two: then only the first
 * stage's forwards are put in order, which fixes the names.
 */
export function interchangeable(problem: Problem, everywhere = problem.ties.length === 0): FixedOrder {
  const groupOf = new Map(
    problem.symmetric.flatMap((group, index) => group.map(microbatch => [microbatch, index] as const))
  )
  return (a, b) => {
    const [first, second] = [problem.events[a].key, problem.events[b].key]
    if (first.kind !== second.kind || first.stage !== second.stage || first.replica !== second.replica) return undefined
    if (everywhere ? !STAGE_KINDS.includes(first.kind) : first.kind !== 'F' || first.stage !== 0) return undefined
    const group = groupOf.get(first.microbatch)
    if (group === undefined || group !== groupOf.get(second.microbatch)) return undefined
    return first.microbatch < second.microbatch ? 'before' : 'after'
  }
}
