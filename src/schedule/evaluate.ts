import { fail } from '../base/fault.ts'
import { evaluateBlocking } from './evaluate-blocking.ts'
import { evaluateLatency } from './evaluate-latency.ts'
import { evaluateLink } from './evaluate-link.ts'
import type { Evaluation } from './evaluation.ts'
import { contractPairs, looseFused } from './overlap.ts'
import type { Problem, Sequences } from './problem.ts'

/**
 * Times an order under the problem's communication model, every event as early as the model allows. `sequences[r]` lists
 * the occupying events of rank r; each must appear exactly once, on a rank that it has a mode for, and those of an
 * overlapped pair next to each other.
 * @throws FaultError when the order is incomplete
 */
export function evaluate(problem: Problem, sequences: Sequences): Evaluation {
  return problem.fusable.length === 0 ? byModel(problem, sequences) : withFused(problem, sequences)
}

function byModel(problem: Problem, sequences: Sequences): Evaluation {
  switch (problem.communication) {
    case 'latency':
      return evaluateLatency(problem, sequences)
    case 'link':
      return evaluateLink(problem, sequences)
    case 'blocking':
      return evaluateBlocking(problem, sequences)
  }
}

/** Overlapped pairs as one event each; both then start when the pair does. */
function withFused(problem: Problem, sequences: Sequences): Evaluation {
  const loose = looseFused(problem, sequences)
  if (loose) {
    const key = problem.events[loose.first].key
    return fail('ORDER_PLACE', 'sequences', key, 'an overlapped pair is torn apart', 'List its events side by side.')
  }
  const evaluation = byModel(contractPairs(problem), sequences)
  if (evaluation.kind === 'cycle') return evaluation
  const { start } = evaluation.schedule
  for (const { first, second } of problem.fusable) start[first] = start[second]
  return evaluation
}
