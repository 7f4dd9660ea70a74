import type { Z3_context as Context, Z3_solver as Solver } from 'z3-solver'
import type { Smt } from '../../encoding/model/types.ts'
import { type Countdown, countdown } from '../clock.ts'
import { pointless, withPoint } from '../outcome.ts'
import { pointFault } from '../point.ts'
import type { Engine, Outcome, SolveRequest } from '../port.ts'
import { z3Meaning } from './status.ts'
import { fromModelText, LONGEST_TEXT, toText } from './translate.ts'

type Api = Awaited<ReturnType<typeof import('z3-solver')['init']>>

let loaded: Promise<Api> | undefined

/** Loads Z3 once per worker: one realm runs one check at a time, whatever the number of contexts. */
export function loadZ3(): Promise<Api> {
  loaded ??= import('z3-solver').then(module => module.init())
  return loaded
}

/** The engine that is loaded: its own version, and the package's name, whose version differs. */
export function z3Engine(api: Api): Engine {
  return { name: 'Z3', version: `${api.Z3.get_full_version().replace(/^Z3\s*/, '')} (z3-solver)` }
}

/**
 * Decides a model from its SMT-LIB text, in a context of its own: far faster than the builder interface. The text goes in
 * through the synchronous parser; `eval_smtlib2_string` hands its thread a string that is freed while it still reads.
 */
export async function runZ3(request: SolveRequest & { readonly model: Smt }): Promise<Outcome> {
  const clock = countdown(request.timeLimitMs)
  const api = await loadZ3()
  const engine = z3Engine(api)
  const text = toText(request.model)
  if (text.length > LONGEST_TEXT) return pointless('memory', engine, `model text of ${text.length} characters`)
  const { Z3 } = api
  const config = Z3.mk_config()
  const context = Z3.mk_context(config)
  Z3.del_config(config)
  const solver = isPureDifferences(request.model)
    ? Z3.mk_solver_for_logic(context, Z3.mk_string_symbol(context, 'QF_IDL'))
    : Z3.mk_simple_solver(context)
  Z3.solver_inc_ref(context, solver)
  try {
    Z3.solver_from_string(context, solver, text)
    const error = Z3.get_error_code(context)
    if (error !== 0) return pointless('crash', engine, `refused the text: ${Z3.get_error_msg(context, error)}`)
    setLimits(api, context, solver, request, clock)
    const answer = await Z3.solver_check(context, solver)
    const reason = answer === 0 ? Z3.solver_get_reason_unknown(context, solver) : ''
    return readOutcome(api, context, solver, request, answer, reason)
  } finally {
    Z3.solver_dec_ref(context, solver)
    Z3.del_context(context)
  }
}

/**
 * Where nothing but times is to be decided, Z3's own difference-logic solver refutes with a fraction of the conflicts;
 * with Booleans besides, its dense propagation costs more than it saves.
 */
function isPureDifferences({ numBools, sums }: Smt): boolean {
  return numBools === 0 && sums.length === 0
}

function setLimits({ Z3 }: Api, context: Context, solver: Solver, request: SolveRequest, clock: Countdown): void {
  const params = Z3.mk_params(context)
  Z3.params_inc_ref(context, params)
  const set = (name: string, value: number) =>
    Z3.params_set_uint(context, params, Z3.mk_string_symbol(context, name), value)
  if (request.stepLimit === undefined) set('timeout', Math.floor(clock.left(10)))
  else set('rlimit', Math.min(request.stepLimit, 2 ** 32 - 1))
  if (request.seed !== undefined) set('random_seed', request.seed % 2 ** 31)
  Z3.solver_set_params(context, solver, params)
  Z3.params_dec_ref(context, params)
}

function readOutcome(
  api: Api,
  context: Context,
  solver: Solver,
  { model, stepLimit }: SolveRequest & { readonly model: Smt },
  answer: number,
  reason: string
): Outcome {
  const engine = z3Engine(api)
  const meaning = z3Meaning(answer, reason, stepLimit === undefined)
  if (meaning.status !== 'sat') return pointless(meaning.stop, engine, meaning.name, meaning.status)
  const values = fromModelText(model, api.Z3.model_to_string(context, api.Z3.solver_get_model(context, solver)))
  const fault = pointFault(model, values)
  if (fault) return pointless('crash', engine, `sat, but not a solution: ${fault}`)
  return withPoint(meaning.stop, meaning.status, values, engine, meaning.name)
}
