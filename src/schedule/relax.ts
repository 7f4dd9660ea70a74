import type { Problem } from './problem.ts'

const relaxations = new WeakMap<Problem, Problem>()

/**
 * A problem under `latency` whose schedules include those of the given one, so that its bounds hold for both: queueing or
 * blocking transfers start no earlier and take no less, and compute is bound by nothing less. Only encoder outputs may be
 * elsewhere meanwhile (they stay longer with their owner), so what waits for an arrival is not counted.
 */
export function latencyRelaxation(problem: Problem): Problem {
  if (problem.communication === 'latency') return problem
  const known = relaxations.get(problem)
  if (known) return known
  const holds = problem.holds.filter(({ from, until }) => from.arrival === undefined && until.arrival === undefined)
  const relaxed: Problem = { ...problem, communication: 'latency', holds }
  relaxations.set(problem, relaxed)
  return relaxed
}

const placing = new WeakMap<Problem, Problem>()

/**
 * The problem under `latency` for a model that places its transfers itself: lags stand for the least that they take, and
 * what waits for an arrival stays, to be held until its transfer has ended.
 */
export function withPlacedTransfers(problem: Problem): Problem {
  if (problem.communication === 'latency') return problem
  const known = placing.get(problem) ?? { ...problem, communication: 'latency' as const }
  placing.set(problem, known)
  return known
}
