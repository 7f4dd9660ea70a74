import type { SatParameters } from 'or-tools-wasm/cp-sat'
import type { SolveRequest } from '../port.ts'

/** Parameters of a run. Names are camelCase: unknown ones, the snake_case of the documentation too, are ignored in silence. */
export function toParameters(request: SolveRequest, leftMs: number): SatParameters {
  return {
    maxTimeInSeconds: leftMs / 1000,
    numWorkers: request.threads ?? 2,
    ...(request.seed === undefined ? {} : { randomSeed: request.seed % 2 ** 31 })
  }
}
