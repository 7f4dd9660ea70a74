import type { GLPK } from 'glpk.js/node'
import type { Milp } from '../../encoding/model/types.ts'
import { countdown } from '../clock.ts'
import { pointless, withPoint } from '../outcome.ts'
import { pointFault, wholePoint } from '../point.ts'
import type { Engine, Outcome, SolveRequest } from '../port.ts'
import { glpkMeaning } from './status.ts'
import { toGlpk } from './translate.ts'

let loaded: Promise<GLPK> | undefined

/** Loads GLPK once per worker. Its main entry needs a browser worker of its own, so it is never the one imported. */
export function loadGlpk(): Promise<GLPK> {
  loaded ??= import('glpk.js/node').then(module => module.default())
  return loaded
}

/** The engine that is loaded. */
export function glpkEngine(glpk: GLPK): Engine {
  return { name: 'GLPK', version: `${glpk.version} (glpk.js)` }
}

/**
 * Solves a MILP, blocking. The presolver stays on: without it GLPK never solves a MIP. It returns no bound of its own.
 */
export async function runGlpk(request: SolveRequest & { readonly model: Milp }): Promise<Outcome> {
  const clock = countdown(request.timeLimitMs)
  const glpk = await loadGlpk()
  const engine = glpkEngine(glpk)
  if (request.model.variables.length === 0) return pointless('crash', engine, 'the model has no variables')
  const lp = toGlpk(request.model, glpk)
  const limit = clock.left(10)
  const options = { msglev: glpk.GLP_MSG_OFF, tmlim: limit / 1000, mipgap: 0, presol: true }
  let { result } = glpk.solve(lp, options)
  const plainLp = lp.generals?.length === 0
  if (plainLp && result.status === glpk.GLP_UNDEF && clock.left(0) > 1)
    result = glpk.solve(lp, { ...options, presol: false }).result
  const meaning = glpkMeaning(result.status, clock.left(0) <= 1)
  const raw = `${meaning.name}, objective ${meaning.point ? result.z : 'absent'}`
  if (!meaning.point || !meaning.status) return pointless(meaning.stop, engine, raw, meaning.status)
  const values = wholePoint(
    request.model,
    request.model.variables.map((_, index) => result.vars[`x${index}`] ?? Number.NaN)
  )
  const fault = pointFault(request.model, values)
  if (fault) return pointless('crash', engine, `${raw}; not a solution: ${fault}`)
  return withPoint(
    meaning.stop,
    meaning.status,
    values,
    engine,
    raw,
    meaning.status === 'optimal' ? result.z : undefined
  )
}
