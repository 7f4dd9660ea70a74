import { linkedAbort } from '../../base/abort.ts'
import type { Encoded } from '../../encoding/encoded.ts'
import { textHash } from '../../encoding/model/hash.ts'
import type { Smt } from '../../encoding/model/types.ts'
import { writeSmt2 } from '../../encoding/text/smt2.ts'
import type { Tick } from '../../schedule/measured.ts'
import { BACKENDS, type Outcome, runBackend } from '../../solvers/index.ts'
import type { Session } from '../session.ts'
import type { Task } from '../task.ts'
import { stepLimitOf } from './limits.ts'
import { offerPoint } from './offer.ts'

/** A task that can be asked as a decision. */
export type DecisionTask = Task & Required<Pick<Task, 'encodeDecision'>>

/** Most questions of one run: a solver that keeps contradicting the checker must not keep us. */
const MOST_QUESTIONS = 64

/**
 * Exact by decisions: is there a schedule of at most T ticks? First just below the incumbent, which is usually the last
 * question; after each success by bisection. Every SAT is a checked point, every UNSAT a claim with its text, which the
 * next question (another seed) or another engine confirms. With `insist`, asks at least once, proved or not.
 */
export async function decide(
  task: DecisionTask,
  session: Session,
  solver: string,
  signal: AbortSignal,
  insist = false
): Promise<void> {
  let bisect = false
  for (let round = 0; round < MOST_QUESTIONS; round++) {
    const settled = session.isOver() || isEmpty(task, session)
    if (signal.aborted || (settled && !(insist && round === 0))) return
    const target = session.options.enough ?? nextTarget(task, session, bisect)
    const encoded = task.encodeDecision(target)
    const outcome = await ask(session, solver, encoded, target, round, signal)
    if (outcome.status === 'sat' && outcome.values) {
      if (!offerPoint(task, session, encoded, outcome.values, outcome.engine)) return
      // A model of a relaxation may keep saying yes to what its order does not reach: asking again would not end.
      if ((session.point?.value ?? Number.POSITIVE_INFINITY) > target) return
      bisect = true
    } else if (outcome.status === 'unsat') {
      claimAbove(session, encoded, target, outcome, solver, round)
    } else if (!isStale(session, target)) return
  }
}

/** Whether it is proven that the space holds no schedule at all. */
export function isEmpty(task: Task, session: Session): boolean {
  return session.point === undefined && session.lowerBound > task.longest
}

/** What to ask next: everything, where nothing is known; just below the incumbent first; then between it and the bound. */
function nextTarget(task: Task, session: Session, bisect: boolean): Tick {
  if (!session.point) return task.longest
  const below = session.point.value - 1
  return bisect ? Math.floor((Math.min(session.assumedBound(), below) + below) / 2) : below
}

/** Whether others have answered the question meanwhile: a point of at most so much is known, or none exists. */
function isStale(session: Session, target: Tick): boolean {
  return (session.point?.value ?? Number.POSITIVE_INFINITY) <= target || session.lowerBound > target
}

async function ask(
  session: Session,
  solver: string,
  encoded: Encoded<Smt>,
  target: Tick,
  round: number,
  signal: AbortSignal
): Promise<Outcome> {
  const { host, options } = session
  const from = host.now()
  const request = {
    model: encoded.model,
    timeLimitMs: Math.max(1, session.remainingMs()),
    seed: options.seed + round,
    ...stepLimitOf(options)
  }
  const stop = linkedAbort(signal)
  const unwatch = session.watch(() => (isStale(session, target) ? stop.abort() : undefined))
  const outcome = await runBackend(host, solver, request, { signal: stop.signal, backends: options.backends })
  stop.unlink()
  unwatch()
  const { values: _, ...said } = outcome
  session.note(solver, `${outcome.status ?? outcome.stop} at ${target}`, from, said)
  return outcome
}

/** No schedule of at most `target` ticks: the next multiple of the time unit is a lower bound. */
function claimAbove(
  session: Session,
  encoded: Encoded<Smt>,
  target: Tick,
  outcome: Outcome,
  solver: string,
  round: number
): void {
  const ticks = (Math.floor(target / encoded.unit) + 1) * encoded.unit
  const text = writeSmt2(encoded.model)
  const evidence = { kind: 'smt-unsat', at: target, textHash: textHash(text), text, engines: [outcome.engine] } as const
  session.claim({ ticks, by: runName(session, solver, round), evidence })
}

/** Runs that may confirm each other: a built-in engine's under different seeds; a foreign one's never among themselves. */
function runName({ options }: Session, solver: string, round: number): string {
  const info = options.backends.find(backend => backend.id === solver)
  return info && BACKENDS.includes(info) ? `${solver}, seed ${options.seed + round}` : solver
}
