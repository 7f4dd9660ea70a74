import type { Cp } from '../../encoding/model/types.ts'
import { toCpSatModel } from '../../encoding/text/cpsat.ts'
import { countdown } from '../clock.ts'
import { pointless, withPoint } from '../outcome.ts'
import { pointFault } from '../point.ts'
import type { Outcome, SolveRequest } from '../port.ts'
import { CPSAT_ENGINE, cpsatMeaning } from './status.ts'
import { toParameters } from './translate.ts'

/**
 * Solves a CP model. It takes seconds to load and to exit, so it runs in a child process that is killed after its answer.
 * Its callbacks for points and bounds are called only once it has ended, so what it knows while it runs is read from the
 * log that it prints: bounds, and of its points no more than their objective.
 */
export async function runCpsat(request: SolveRequest & { readonly model: Cp }): Promise<Outcome> {
  const clock = countdown(request.timeLimitMs)
  const { CpModel, CpSolver } = await import('or-tools-wasm/cp-sat')
  const message = toCpSatModel(request.model, request.hint)
  const model = new CpModel(message as ConstructorParameters<typeof CpModel>[0])
  const solver = new CpSolver()
  const answer = await solver.solve(model, toParameters(request, clock.left(10)))
  const name = solver.statusName(answer)
  const meaning = cpsatMeaning(name)
  if (meaning.status !== 'optimal' && meaning.status !== 'feasible')
    return pointless(meaning.stop, CPSAT_ENGINE, name, meaning.status)
  const values = Float64Array.from(solver.response()?.solution ?? [], Number)
  const fault = pointFault(request.model, values)
  if (fault) return pointless('crash', CPSAT_ENGINE, `${name}; not a solution: ${fault}`)
  const bound = solver.bestObjectiveBound()
  const raw = `${name}, objective ${solver.objectiveValue()}, bound ${bound}`
  return withPoint(meaning.stop, meaning.status, values, CPSAT_ENGINE, raw, bound)
}
