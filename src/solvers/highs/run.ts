import type { Highs, HighsCallbackMap, Model as HighsModel } from 'highs'
import type { Milp } from '../../encoding/model/types.ts'
import { countdown } from '../clock.ts'
import { pointless, withPoint } from '../outcome.ts'
import { pointFault, wholePoint } from '../point.ts'
import type { Engine, Outcome, RunContext, SolveRequest } from '../port.ts'
import { highsMeaning } from './status.ts'
import { toHighs } from './translate.ts'

/** Steps of a request that make one node of the search tree. */
const STEPS_PER_NODE = 20_000

/** Bounds rise in the last digits all the time; only more than this, relative to them, is worth a message. */
const LEAST_RISE = 1e-6

let loaded: Promise<Highs> | undefined

/** Loads HiGHS once per worker. */
export function loadHighs(): Promise<Highs> {
  loaded ??= import('highs').then(module => (module.default as unknown as typeof module.default.default)())
  return loaded
}

/** The engine that is loaded; it names its own version, which is not the package's. */
export function highsEngine(highs: Highs): Engine {
  return { name: 'HiGHS', version: `${highs.version.string} (highs)` }
}

/**
 * Solves a MILP, blocking. Both gaps are 0: by default HiGHS calls 0.01 % optimal. At a limit without incumbent it still
 * fills in a point of zeros, so only its primal solution status (2) makes a point one.
 */
export async function runHighs(
  request: SolveRequest & { readonly model: Milp },
  report?: RunContext['report']
): Promise<Outcome> {
  const clock = countdown(request.timeLimitMs)
  const highs = await loadHighs()
  const engine = highsEngine(highs)
  const model = highs.createModel(toHighs(request.model, highs.infinity))
  try {
    model.options.set({
      output_flag: false,
      mip_rel_gap: 0,
      mip_abs_gap: 0,
      time_limit: clock.left(10) / 1000,
      ...(request.stepLimit === undefined ? {} : { mip_max_nodes: Math.ceil(request.stepLimit / STEPS_PER_NODE) }),
      ...(request.seed === undefined ? {} : { random_seed: request.seed % 2 ** 31 })
    })
    if (request.hint) model.setSolution({ colValue: Float64Array.from(request.hint) })
    model.run(report && reporting(request.model, highs, report))
    return readOutcome(request.model, model, engine)
  } finally {
    model.dispose()
  }
}

/**
 * Each better point as it is found, and each higher bound. Its logging channel is silent where it does not print, so bounds
 * come from the one that asks whether to stop. A plain LP calls back for nothing.
 */
function reporting(milp: Milp, highs: Highs, report: NonNullable<RunContext['report']>): HighsCallbackMap {
  const engine = highsEngine(highs)
  const { mipImprovingSolution, mipInterrupt } = highs.constants.callbackType
  let least = Number.NEGATIVE_INFINITY
  return {
    [mipImprovingSolution]: ({ data }) => {
      if (data.mip_solution) report({ values: wholePoint(milp, data.mip_solution), engine })
      return undefined
    },
    [mipInterrupt]: ({ data }) => {
      const bound = data.mip_dual_bound ?? Number.NEGATIVE_INFINITY
      if (Number.isFinite(bound) && bound > least) {
        least = bound + LEAST_RISE * Math.max(1, Math.abs(bound))
        report({ claimedBound: bound, engine })
      }
      return undefined
    }
  }
}

function readOutcome(milp: Milp, model: HighsModel, engine: Engine): Outcome {
  const hasPoint = model.info.get('primal_solution_status') === 2
  const meaning = highsMeaning(model.getModelStatus(), hasPoint)
  const bound = milp.variables.some(({ integer }) => integer) ? Number(model.info.get('mip_dual_bound')) : undefined
  const raw = `${meaning.name}, bound ${bound ?? 'absent'}`
  const claim = bound !== undefined && Number.isFinite(bound) && meaning.stop !== 'crash' ? { claimedBound: bound } : {}
  if (!meaning.status || !hasPoint || meaning.status === 'infeasible' || meaning.status === 'unbounded')
    return { ...pointless(meaning.stop, engine, raw, meaning.status), ...(meaning.status ? {} : claim) }
  const values = wholePoint(milp, model.getSolution().colValue ?? [])
  const fault = pointFault(milp, values)
  if (fault) return pointless('crash', engine, `${raw}; not a solution: ${fault}`)
  const last = meaning.status === 'optimal' ? (bound ?? model.getObjectiveValue()) : bound
  return withPoint(meaning.stop, meaning.status, values, engine, `${raw}, objective ${model.getObjectiveValue()}`, last)
}
