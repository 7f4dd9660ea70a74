import { greedyOwners } from '../../algebra/owners.ts'
import { ownerOf } from '../../algebra/placement.ts'
import { maximum, range } from '../../base/arrays.ts'
import { type Random, randomBelow } from '../../base/random.ts'
import { transposeSequences } from '../../heuristics/transpose.ts'
import { encodesAndSlack } from '../../heuristics/transpose-greedy.ts'
import { evaluate } from '../../schedule/evaluate.ts'
import type { Measured, Tick } from '../../schedule/measured.ts'
import type { Schedule, Sequences } from '../../schedule/problem.ts'
import type { Task } from '../task.ts'

/** The order of the shape of `transpose-full` under an owner map: one entry per encoder task, microbatches ascending, items within. */
export function ownerSequences({ measured, problem }: Task, owners: readonly number[]): Sequences {
  const first = firstTasks(measured)
  return transposeSequences(measured, problem, (m, item) => ({ rank: owners[first[m] + item], at: 'prefix' }))
}

/** Index of each microbatch's first task in an owner map (M entries), and the number of tasks at the end. */
function firstTasks({ microbatches, items }: Measured): number[] {
  const first = [0]
  for (let m = 0; m < microbatches; m++) first.push(first[m] + (items?.[m].length ?? 1))
  return first
}

/** Owner maps to start from: round-robin by microbatch and the paper's greedy rule by task. */
export function startingOwners({
  measured,
  problem
}: Task): { readonly by: string; readonly owners: readonly number[] }[] {
  const { ranks, microbatches } = measured
  const { slack } = encodesAndSlack(measured, problem)
  const first = firstTasks(measured)
  const roundRobin = range(microbatches).flatMap(m =>
    new Array<number>(first[m + 1] - first[m]).fill(ownerOf(m, ranks, microbatches, 'full'))
  )
  const work = roundRobin.map(() => 0)
  for (const { key, modes } of problem.events)
    if (key.kind === 'E') work[first[key.microbatch] + key.item] += modes[0].duration
  return [
    { by: 'round-robin owners', owners: roundRobin },
    { by: 'greedy owners', owners: greedyOwners(work, slack) }
  ]
}

/** One random change of an owner map: a task moves, or two of different owners trade places. */
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
