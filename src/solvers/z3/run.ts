import type { Smt } from '../../encoding/model/types.ts'
import { parseValues, variableNames } from '../../encoding/text/smt2.ts'
import { countdown } from '../clock.ts'
import { pointless, withPoint } from '../outcome.ts'
import { pointFault } from '../point.ts'
import type { Engine, Outcome, SolveRequest } from '../port.ts'
import { type Api, evaluateText } from './evaluate.ts'
import { z3Meaning } from './status.ts'
import { LONGEST_TEXT, toScript, toValueQuery } from './translate.ts'

let loaded: Promise<Api> | undefined

/** Loads Z3 once per worker: one realm runs one check at a time, whatever the number of contexts. */
export function loadZ3(): Promise<Api> {
  loaded ??= import('z3-solver').then(module => module.init())
  return loaded
}

/** The engine that is loaded: its own version, and the package's, which differ. */
export function z3Engine(api: Api): Engine {
  return { name: 'Z3', version: `${api.Z3.get_full_version().replace(/^Z3\s*/, '')} (z3-solver)` }
}

/** Decides a model from its SMT-LIB text, in a context of its own: far faster than the builder interface. */
export async function runZ3(request: SolveRequest & { readonly model: Smt }): Promise<Outcome> {
  const clock = countdown(request.timeLimitMs)
  const api = await loadZ3()
  const { Z3 } = api
  const engine = z3Engine(api)
  const byClock = request.stepLimit === undefined
  const script = toScript(request.model, {
    ...(byClock ? { timeoutMs: clock.left(10) } : { steps: request.stepLimit }),
    ...(request.seed === undefined ? {} : { seed: request.seed })
  })
  if (script.length > LONGEST_TEXT) return pointless('memory', engine, `model text of ${script.length} characters`)
  const config = Z3.mk_config()
  const context = Z3.mk_context(config)
  Z3.del_config(config)
  try {
    const answer = await evaluateText(api, context, script)
    const reason = answer.includes('unknown') ? await evaluateText(api, context, '(get-info :reason-unknown)') : ''
    const meaning = z3Meaning(answer, reason, byClock)
    if (!meaning.point || !meaning.status) return pointless(meaning.stop, engine, `${answer} ${reason}`, meaning.status)
    return await readPoint(request.model, meaning.stop, text => evaluateText(api, context, text), engine)
  } finally {
    Z3.del_context(context)
  }
}

async function readPoint(
  model: Smt,
  stop: 'proved' | string,
  ask: (text: string) => Promise<string>,
  engine: Engine
): Promise<Outcome> {
  const names = variableNames(model)
  const found = names.length > 0 ? parseValues(await ask(toValueQuery(model))) : new Map<string, number>()
  const values = Float64Array.from(names, name => found.get(name) ?? Number.NaN)
  const fault = pointFault(model, values)
  if (fault) return pointless('crash', engine, `sat, but not a solution: ${fault}`)
  return withPoint(stop as 'proved', 'sat', values, engine, 'sat')
}
