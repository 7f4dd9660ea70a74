import type { SatParameters } from 'or-tools-wasm/cp-sat'
import type { SolveRequest } from '../port.ts'

/** Steps of a request that make one unit of deterministic time. */
const STEPS_PER_UNIT = 1_000_000

/** Parameters of a run. Names are camelCase: unknown ones, the snake_case of the documentation too, are ignored in silence. */
export function toParameters(request: SolveRequest, leftMs: number): SatParameters {
  return {
    maxTimeInSeconds: leftMs / 1000,
    numWorkers: request.threads ?? 2,
    logSearchProgress: true,
    // Its own measure of work, about a second each; with one worker the same everywhere.
    ...(request.stepLimit === undefined ? {} : { maxDeterministicTime: request.stepLimit / STEPS_PER_UNIT }),
    ...(request.seed === undefined ? {} : { randomSeed: request.seed % 2 ** 31 })
  }
}
