import { sum } from '../base/arrays.ts'
import type { Host } from '../host/port.ts'
import { encodeCut, plainPaths } from '../model/cuts/encode.ts'
import { type StepRule, simulated, stepLength } from '../model/cuts/objective.ts'
import { type Cut, type CutProblem, checkCutProblem, stageTimes } from '../model/cuts/problem.ts'
import { type Engine, runBackend } from '../solvers/index.ts'

/** Limits of a search for a cut. */
export type CutOptions = {
  readonly rule: StepRule
  readonly timeLimitMs: number
  readonly solver: 'highs' | 'glpk'
}

/** The best cut, with what was proved of it. `rounds` counts the models that were solved. */
export type CutAnswer =
  | {
      readonly status: 'optimal' | 'feasible'
      readonly cut: Cut
      readonly length: number
      readonly lowerBound: number
      readonly rounds: number
      readonly engine: Engine
    }
  | { readonly status: 'infeasible'; readonly reason: string }
  | { readonly status: 'unknown'; readonly lowerBound: number; readonly rounds: number; readonly reason: string }

const DEFAULTS: CutOptions = { rule: 'exact', timeLimitMs: 60_000, solver: 'highs' }
/** Relative difference below which a bound and a length are the same number. */
const SAME = 1e-9

/**
 * Layers (and recomputed layers) per stage with the shortest 1F1B step under memory. The step is the longest of very
 * many paths; they are added as they turn out to bind, so that each model stays small: its optimum bounds the step from
 * below, the simulated step of its point from above, and the search ends when both meet.
 */
export async function optimizeCut(
  problem: CutProblem,
  host: Host,
  options: Partial<CutOptions> = {}
): Promise<CutAnswer> {
  const { rule, timeLimitMs, solver } = { ...DEFAULTS, ...options }
  checkCutProblem(problem)
  const end = host.now() + timeLimitMs
  const part = simulated(problem.stages, problem.microbatches, rule)
  const paths = plainPaths(problem.stages, part.microbatches)
  const most = longest(problem)
  let best: { readonly cut: Cut; readonly length: number } | undefined
  let lowerBound = 0
  for (let rounds = 1; ; rounds++) {
    const { model, decode } = encodeCut(problem, paths, rule, most)
    const outcome = await runBackend(host, solver, { model, timeLimitMs: Math.max(1, end - host.now()) })
    if (outcome.status === 'infeasible') return { status: 'infeasible', reason: whyNot(problem) }
    if (outcome.status === 'optimal' && outcome.claimedBound !== undefined)
      lowerBound = Math.max(lowerBound, outcome.claimedBound)
    if (outcome.values) {
      const cut = decode(outcome.values)
      const { forward, backward } = stageTimes(problem, cut)
      const { length, path } = stepLength(forward, backward, problem.microbatches, rule)
      if (!best || length < best.length) best = { cut, length }
      paths.push(path)
    }
    const closed = best !== undefined && best.length - lowerBound <= SAME * best.length
    if (best && (closed || outcome.status !== 'optimal'))
      return { status: closed ? 'optimal' : 'feasible', ...best, lowerBound, rounds, engine: outcome.engine }
    if (outcome.status !== 'optimal') return { status: 'unknown', lowerBound, rounds, reason: outcome.raw }
  }
}

/** No step is longer: every microbatch of everything, one after the other, all layers recomputed. */
function longest(problem: CutProblem): number {
  const layers = sum(
    problem.kinds.map(kind => kind.count * (kind.forward + kind.backward + Math.max(0, kind.recompute ?? 0)))
  )
  const extras = sum(problem.extras.map(extra => extra.forward + extra.backward))
  return problem.microbatches * (layers + extras) + 1
}

function whyNot(problem: CutProblem): string {
  const states = sum(problem.kinds.map(kind => kind.count * kind.states)) + sum(problem.extras.map(one => one.states))
  const room = sum(problem.limit)
  const part =
    states > room
      ? `the states alone need ${states} bytes, all stages together have ${room}`
      : 'states and activations in flight do not fit together, recomputed or not'
  return `no cut of ${sum(problem.kinds.map(kind => kind.count))} layers over ${problem.stages} stages satisfies the memory limits: ${part}. Use more ranks, tensor parallelism or ZeRO, recompute, or fewer bytes per microbatch.`
}
