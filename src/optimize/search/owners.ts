import { greedyOwners } from '../../algebra/owners.ts'
import { ownerOf } from '../../algebra/placement.ts'
import { maximum, range } from '../../base/arrays.ts'
import { type Random, randomBelow } from '../../base/random.ts'
import { transposeSequences } from '../../heuristics/transpose.ts'
import { encodesAndSlack } from '../../heuristics/transpose-greedy.ts'
import { evaluate } from '../../schedule/evaluate.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { Schedule, Sequences } from '../../schedule/problem.ts'
import type { Task } from '../task.ts'

/** The order of the shape of `transpose-full` under an owner map (M entries). */
export function ownerSequences({ measured, problem }: Task, owners: readonly number[]): Sequences {
  return transposeSequences(measured, problem, m => ({ rank: owners[m], at: 'prefix' }))
}

/** Owner maps to start from: round-robin and the paper's greedy rule. */
export function startingOwners({
  measured,
  problem
}: Task): { readonly by: string; readonly owners: readonly number[] }[] {
  const { ranks, microbatches } = measured
  const { work, slack } = encodesAndSlack(measured, problem)
  return [
    { by: 'round-robin owners', owners: range(microbatches).map(m => ownerOf(m, ranks, microbatches, 'full')) },
    { by: 'greedy owners', owners: greedyOwners(work, slack) }
  ]
}

/** One random change of an owner map: a microbatch moves, or two of different owners trade places. */
export function changeOwners(owners: readonly number[], ranks: number, random: Random): number[] {
  const next = [...owners]
  const m = randomBelow(random, next.length)
  if (random() < 0.5) next[m] = randomBelow(random, ranks)
  else {
    const other = randomBelow(random, next.length)
    ;[next[m], next[other]] = [next[other], next[m]]
  }
  return next
}

/** Value of an owner map, ignoring memory. */
export function ownersValue(
  task: Task,
  owners: readonly number[]
): { readonly value: Tick; readonly schedule: Schedule } {
  const evaluation = evaluate(task.problem, ownerSequences(task, owners))
  if (evaluation.kind === 'cycle') throw new Error('a prefix order cannot have a cycle')
  const { schedule } = evaluation
  return { value: task.objectiveOf ? task.objectiveOf(schedule) : maximum([schedule.makespan]), schedule }
}
