import { evaluateBlocking } from './evaluate-blocking.ts'
import { evaluateLatency } from './evaluate-latency.ts'
import { evaluateLink } from './evaluate-link.ts'
import type { Evaluation } from './evaluation.ts'
import type { Problem, Sequences } from './problem.ts'

/**
 * Times an order under the problem's communication model, every event as early as the model allows. `sequences[r]` lists
 * the occupying events of rank r; each must appear exactly once, on a rank that it has a mode for.
 * @throws FaultError when the order is incomplete
 */
export function evaluate(problem: Problem, sequences: Sequences): Evaluation {
  switch (problem.communication) {
    case 'latency':
      return evaluateLatency(problem, sequences)
    case 'link':
      return evaluateLink(problem, sequences)
    case 'blocking':
      return evaluateBlocking(problem, sequences)
  }
}
