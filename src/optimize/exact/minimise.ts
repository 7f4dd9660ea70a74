import type { Encoded } from '../../encoding/encoded.ts'
import { modelHash } from '../../encoding/model/hash.ts'
import type { Cp, Milp } from '../../encoding/model/types.ts'
import type { Tick } from '../../schedule/measured.ts'
import { type Outcome, runBackend } from '../../solvers/index.ts'
import type { Session } from '../session.ts'
import type { Task } from '../task.ts'
import { stepLimitOf } from './limits.ts'
import { offerPoint } from './offer.ts'

/**
 * Exact by minimising a mixed-integer or interval model whose windows end at the incumbent. Its point is timed again and
 * checked; its bound is a claim until another engine or a named bound agrees.
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
  const request = {
    model: encoded.model,
    // Whom no step limit stops must be stopped by the clock in any case.
    timeLimitMs: options.deterministic && !stepLimit ? options.timeLimitMs : session.remainingMs(),
    seed: options.seed,
    threads: options.deterministic ? 1 : Math.max(2, options.threads),
    ...stepLimitOf(options)
  }
  const outcome = await runBackend(session.host, solver, request, { signal, backends: options.backends })
  const { values, ...said } = outcome
  session.note(solver, describe(outcome), from, said)
  if (values) offerPoint(task, session, encoded, values, outcome.engine)
  const bound = boundOf(encoded, outcome, horizon)
  if (bound === undefined) return
  const evidence = {
    kind: 'solver-bound',
    engine: outcome.engine,
    options: `horizon ${horizon}`,
    modelHash: modelHash(encoded.model),
    bound,
    grid: encoded.unit,
    confirmedBy: []
  } as const
  session.claim({ ticks: bound, by: outcome.engine.name, evidence })
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
