import { randomFrom } from '../base/random.ts'
import { delayEncodes } from '../schedule/just-in-time.ts'
import { fitsMemory } from '../schedule/memory.ts'
import type { Problem, Schedule } from '../schedule/problem.ts'
import { checkSequences } from './point.ts'
import { placeTask } from './search/greedy.ts'
import { improveStep, type Score } from './search/improve.ts'
import { encoderTasks } from './search/insertion.ts'
import { excessBytes, modelScore } from './search/model-score.ts'
import { OrderState } from './search/order-state.ts'
import type { Session } from './session.ts'
import type { Task } from './task.ts'

/** Limits of one refinement: ends at the earlier of the two. */
export type RefineLimits = { readonly steps: number; readonly untilMs: number }

/** Steps between two looks at the clock, by size: about 20 ms worth. */
export function stepsPerSlice(problem: Problem): number {
  return Math.max(1, Math.floor(200_000 / problem.events.length))
}

/**
 * Ruin and recreate from the incumbent (or from insertion) until proved, out of steps or out of time; lets the event
 * loop breathe between slices. Deterministic for a seed as long as no clock cuts it short.
 */
export async function refine(task: Task, session: Session, limits: RefineLimits): Promise<void> {
  const { problem } = task
  const tasks = encoderTasks(problem, task.body)
  if (tasks.length === 0) return
  const random = randomFrom(session.options.seed)
  const state = new OrderState(problem, session.point?.schedule.sequences ?? task.body)
  if (!session.point) for (const one of tasks) placeTask(state, one, random)
  const scoreOf = modelScore(problem) ?? scorer(problem)
  let score = scoreOf(state)
  const from = session.host.now()
  const slice = stepsPerSlice(problem)
  for (let step = 0; step < limits.steps && !session.isOver() && session.host.now() < limits.untilMs; step++) {
    score = improveStep(state, tasks, score, scoreOf, random)
    if (score.excess === 0 && score.makespan < (session.point?.value ?? Number.POSITIVE_INFINITY)) {
      const attempt = checkSequences(task, state.sequences())
      if (attempt.kind === 'point') session.offer(attempt.point, { name: 'ruin-and-recreate', version: '' })
    }
    if (step % slice === slice - 1) await session.pause()
  }
  session.note('ruin-and-recreate', session.point ? `makespan ${session.point.value}` : 'no legal order', from)
}

/** Makespan of a state, and by how many bytes its order exceeds memory even with encodes as late as possible. */
function scorer(problem: Problem): (state: OrderState) => Score {
  if (problem.capacity.every(limit => limit === undefined)) return state => ({ excess: 0, makespan: state.makespan })
  return state => {
    const schedule: Schedule = {
      sequences: state.sequences(),
      rankOf: state.rankOf,
      start: state.head,
      makespan: state.makespan
    }
    const excess = fitsMemory(problem, schedule) ? 0 : excessBytes(problem, delayEncodes(problem, schedule))
    return { excess, makespan: state.makespan }
  }
}
