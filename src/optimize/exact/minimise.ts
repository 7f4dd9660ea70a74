import type { Encoded } from '../../encoding/encoded.ts'
import { modelHash } from '../../encoding/model/hash.ts'
import type { Cp, Milp } from '../../encoding/model/types.ts'
import type { Tick } from '../../schedule/measured.ts'
import { type Engine, type Finding, type Outcome, runBackend } from '../../solvers/index.ts'
import type { Session } from '../session.ts'
import type { Task } from '../task.ts'
import { stepLimitOf } from './limits.ts'
import { offerPoint } from './offer.ts'

/**
 * Exact by minimising a mixed-integer or interval model whose windows end at the incumbent, which the model must still
 * contain: one that leaves it out by mistake is found out, for its solver claims a bound above a checked schedule. Solvers
 * that can start from it. Every point, also those of a run that goes on, is timed again and checked; every bound is a claim
 * until another engine or a named bound agrees. Where runs must be repeatable, only the outcome counts: when a finding comes is up to the clock.
 */
export async function minimise(
  task: Task,
  session: Session,
  solver: string,
  encode: (horizon: Tick) => Encoded<Milp | Cp>,
  signal: AbortSignal
): Promise<void> {
  const horizon = session.point?.value ?? task.longest
  const encoded = encode(horizon)
  const from = session.host.now()
  const { options } = session
  const { stepLimit } = options.backends.find(({ id }) => id === solver)?.capabilities ?? { stepLimit: false }
  const hint = session.point && encoded.valuesOf?.(session.point.schedule)
  const request = {
    model: encoded.model,
    // Whom no step limit stops must be stopped by the clock in any case.
    timeLimitMs: options.deterministic && !stepLimit ? options.timeLimitMs : session.remainingMs(),
    seed: options.seed,
    threads: options.deterministic ? 1 : Math.max(2, options.threads),
    ...(hint ? { hint } : {}),
    ...stepLimitOf(options)
  }
  const claim = claims(session, solver, encoded, horizon)
  const take = ({ values, claimedBound, engine }: Finding) => {
    if (values) offerPoint(task, session, encoded, values, engine)
    if (claimedBound !== undefined) claim(encoded.boundTicks(claimedBound), engine)
  }
  const outcome = await runBackend(session.host, solver, request, {
    signal,
    backends: options.backends,
    ...(options.deterministic ? {} : { onFinding: take })
  })
  const { values, ...said } = outcome
  session.note(solver, describe(outcome), from, said)
  if (values) offerPoint(task, session, encoded, values, outcome.engine)
  claim(boundOf(encoded, outcome, horizon), outcome.engine)
}

/** Claims the bounds of one run, each that is higher than the last. They are of one run, whatever engine they name. */
function claims(
  session: Session,
  solver: string,
  encoded: Encoded,
  horizon: Tick
): (bound: Tick | undefined, engine: Engine) => void {
  let best = Number.NEGATIVE_INFINITY
  let hash: string | undefined
  return (bound, engine) => {
    if (bound === undefined || bound <= best) return
    best = bound
    hash ??= modelHash(encoded.model)
    const evidence = {
      kind: 'solver-bound',
      engine,
      options: `horizon ${horizon}`,
      modelHash: hash,
      bound,
      grid: encoded.unit,
      confirmedBy: []
    } as const
    session.claim({ ticks: bound, by: solver, evidence })
  }
}

/** What the outcome says no schedule can beat: its bound, or the horizon where nothing fits below it. */
function boundOf(encoded: Encoded, outcome: Outcome, horizon: Tick): Tick | undefined {
  if (outcome.stop === 'proved' && outcome.status === 'infeasible')
    return encoded.boundTicks(Math.floor(horizon / encoded.unit)) === undefined ? undefined : horizon + 1
  return outcome.claimedBound === undefined ? undefined : encoded.boundTicks(outcome.claimedBound)
}

function describe(outcome: Outcome): string {
  const bound = outcome.claimedBound === undefined ? '' : `, bound ${outcome.claimedBound}`
  if (outcome.stop === 'crash') return outcome.raw
  return `${outcome.status ?? outcome.stop}${bound}`
}
