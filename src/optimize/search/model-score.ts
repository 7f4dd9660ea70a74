import { sum } from '../../base/arrays.ts'
import { evaluate } from '../../schedule/evaluate.ts'
import type { Byte } from '../../schedule/measured.ts'
import { peakBytes } from '../../schedule/memory.ts'
import type { Problem, Schedule } from '../../schedule/problem.ts'
import type { Score } from './improve.ts'
import type { OrderState } from './order-state.ts'

/**
 * Score of a state under a communication model that its heads do not know: the order timed by the model. Undefined where
 * the heads are the model's times (latency).
 */
export function modelScore(problem: Problem): ((state: OrderState) => Score) | undefined {
  if (problem.communication === 'latency') return undefined
  return state => {
    const evaluation = evaluate(problem, state.sequences())
    if (evaluation.kind === 'cycle') return { excess: Number.POSITIVE_INFINITY, makespan: Number.POSITIVE_INFINITY }
    const { schedule } = evaluation
    return { excess: excessBytes(problem, schedule), makespan: schedule.makespan }
  }
}

/** Bytes by which the ranks' peaks exceed their capacities together. */
export function excessBytes(problem: Problem, schedule: Schedule): Byte {
  if (problem.capacity.every(limit => limit === undefined)) return 0
  return sum(
    peakBytes(problem, schedule).map((peak, rank) =>
      Math.max(0, peak - (problem.capacity[rank] ?? Number.POSITIVE_INFINITY))
    )
  )
}
