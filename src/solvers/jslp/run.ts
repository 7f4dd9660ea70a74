import type { Milp } from '../../encoding/model/types.ts'
import { countdown } from '../clock.ts'
import { pointless, withPoint } from '../outcome.ts'
import { pointFault, wholePoint } from '../point.ts'
import type { Engine, Outcome, SolveRequest } from '../port.ts'
import { type JslpResult, jslpMeaning } from './status.ts'
import { toJslp } from './translate.ts'

/** The engine. */
export const JSLP_ENGINE: Engine = { name: 'javascript-lp-solver', version: '1.0.3' }

/** Solves an LP or a small MILP, blocking. Of a MILP it proves nothing: its answers have been wrong at large coefficients. */
export async function runJslp(request: SolveRequest & { readonly model: Milp }): Promise<Outcome> {
  const clock = countdown(request.timeLimitMs)
  const { model } = request
  const module = await import('javascript-lp-solver')
  const input = toJslp(model, Math.floor(clock.left(10)))
  if (!input) return pointless('crash', JSLP_ENGINE, 'a variable without a lower bound cannot be written')
  const result = (module.default as unknown as { Solve(model: unknown): JslpResult }).Solve(input)
  const meaning = jslpMeaning(
    result,
    clock.left(0) <= 1,
    model.variables.some(({ integer }) => integer)
  )
  const raw = `feasible ${result.feasible}, result ${result.result}`
  if (meaning.status !== 'optimal' && meaning.status !== 'feasible')
    return pointless(meaning.stop, JSLP_ENGINE, raw, meaning.status)
  const point = model.variables.map(({ lower }, index) => lower + Number(result[`x${index}`] ?? 0))
  const values = wholePoint(model, point)
  const fault = pointFault(model, values)
  if (fault)
    return pointless(meaning.stop === 'time' ? 'time' : 'crash', JSLP_ENGINE, `${raw}; not a solution: ${fault}`)
  return withPoint(meaning.stop, meaning.status, values, JSLP_ENGINE, raw)
}
