import type { Cp } from '../../encoding/model/types.ts'
import { toCpSatModel } from '../../encoding/text/cpsat.ts'
import { countdown } from '../clock.ts'
import { pointless, withPoint } from '../outcome.ts'
import { pointFault } from '../point.ts'
import type { Engine, Outcome, SolveRequest } from '../port.ts'
import { cpsatMeaning } from './status.ts'
import { toParameters } from './translate.ts'

/** The engine; the package does not say which OR-Tools it carries. */
export const CPSAT_ENGINE: Engine = { name: 'CP-SAT', version: '0.9.1 (or-tools-wasm)' }

/** Solves a CP model. It takes seconds to load and to exit, so it runs in a child process that is killed after its answer. */
export async function runCpsat(request: SolveRequest & { readonly model: Cp }): Promise<Outcome> {
  const clock = countdown(request.timeLimitMs)
  const { CpModel, CpSolver } = await import('or-tools-wasm/cp-sat')
  const message = toCpSatModel(request.model, request.hint)
  const model = new CpModel(message as ConstructorParameters<typeof CpModel>[0])
  const solver = new CpSolver()
  const answer = await solver.solve(model, toParameters(request, clock.left(10)))
  const name = solver.statusName(answer)
  const meaning = cpsatMeaning(name, clock.left(0) <= 50 || request.stepLimit !== undefined)
  if (meaning.status !== 'optimal' && meaning.status !== 'feasible')
    return pointless(meaning.stop, CPSAT_ENGINE, name, meaning.status)
  const values = Float64Array.from(solver.response()?.solution ?? [], Number)
  const fault = pointFault(request.model, values)
  if (fault) return pointless('crash', CPSAT_ENGINE, `${name}; not a solution: ${fault}`)
  const bound = solver.bestObjectiveBound()
  const raw = `${name}, objective ${solver.objectiveValue()}, bound ${bound}`
  return withPoint(meaning.stop, meaning.status, values, CPSAT_ENGINE, raw, bound)
}
