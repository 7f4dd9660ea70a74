import { fail } from '../base/fault.ts'
import type { Host } from '../host/port.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import type { Known } from './capped.ts'
import { crossCheck } from './cross-check.ts'
import { isEmpty } from './exact/decide.ts'
import { automaticSolvers, checkSolver, needsSearchBeside, race, runExact, untilSettled } from './exact/exact.ts'
import { Session } from './session.ts'
import { type Strategy, strategyOf } from './strategies.ts'
import type { Task } from './task.ts'
import { breakTie } from './tie-break.ts'
import { type Answer, DEFAULT_OPTIONS, NOT_USED, type Reason, type SolveOptions, type SolveResult } from './types.ts'

/**
 * Finds the shortest legal schedule of an instance, with a proven lower bound: bounds first, then constructive orders,
 * then search and exact solvers until proved or out of time. Every point was accepted by the checker.
 * @throws FaultError for caller mistakes, and NOT_YET for problems that nothing solves yet
 */
export async function optimize(measured: Measured, options: Partial<SolveOptions>, host: Host): Promise<SolveResult> {
  const result = await solveOnce(measured, options, host)
  return options.tieBreak === 'memory' ? breakTie(result, options, host, solveOnce) : result
}

/** One run of the search, ties left as they fall. `known` is a bound that holds for this instance too. */
export async function solveOnce(
  measured: Measured,
  options: Partial<SolveOptions>,
  host: Host,
  known?: Known
): Promise<SolveResult> {
  const session = new Session(host, { ...DEFAULT_OPTIONS, ...options })
  checkObjective(session.options)
  await checkSolver(session)
  const strategy = strategyOf(measured, session.options)
  const { task } = strategy
  if (known) session.prove(known.lowerBound, known.evidence, 'known before')
  const [bound] = strategy.bounds(true)
  session.prove(bound.ticks, [bound], bound.name)
  const memory = strategy.memory()
  if (!memory) await search(strategy, session)
  const answer = conclude(session, measured.hash, memory ?? emptyReason(task, session))
  return {
    instance: measured,
    problem: session.options.problem,
    objective: session.options.objective,
    answer,
    crossCheck: crossCheck(
      measured,
      {
        best: session.point?.verified.makespan,
        lowerBound: session.lowerBound,
        boundWithoutMemory: () => boundForCheck(strategy)
      },
      task.objectiveOf === undefined
    ),
    attempts: session.attempts,
    solver: {
      ...session.finder,
      seed: session.options.seed,
      wallMs: session.elapsedMs(),
      deterministic: session.options.deterministic
    }
  }
}

/** Only owner maps can be judged by their spill: elsewhere an encode may sit anywhere, before the body or not. */
function checkObjective({ problem, objective }: SolveOptions): void {
  if (objective === 'spill' && problem !== 'owner')
    fail('OBJECTIVE', 'objective', objective, `problem ${problem} minimises the makespan`, 'Add --problem owner.')
}

/** A bound on the makespan that holds whatever the capacities; 0 where the objective is another. */
function boundForCheck({ task, bounds }: Strategy): Tick {
  return task.objectiveOf ? 0 : bounds(false)[0].ticks
}

/** Steps of the search before exact solvers start, and the share of the time that it may take. */
const FIRST_STEPS = 20_000
const FIRST_SHARE = 0.15
/** Where no clock may end it: steps times events, about ten seconds' worth. */
const FIRST_EVENTS = 40_000_000

async function search(strategy: Strategy, session: Session): Promise<void> {
  const { task } = strategy
  const { solver, deterministic } = session.options
  await strategy.construct(session)
  if (solver !== 'auto') return searchWith(task, session, solver)
  if (session.isOver()) return
  const clock = deterministic ? Number.POSITIVE_INFINITY : session.host.now() + session.remainingMs() * FIRST_SHARE
  const steps = Math.min(FIRST_STEPS, Math.ceil(FIRST_EVENTS / Math.max(1, task.problem.events.length)))
  await strategy.refine?.(session, { steps: deterministic ? steps : FIRST_STEPS, untilMs: clock })
  if (session.isOver()) return
  const { use, skipped } = automaticSolvers(task, session)
  for (const why of skipped) session.note('auto', `${NOT_USED}${why}`, session.host.now())
  const exact = race(task, session, use)
  if (deterministic || !needsSearchBeside(task)) await exact
  if (session.isOver() || deterministic || isEmpty(task, session)) return
  const unlimited = { steps: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY }
  await Promise.all([exact, strategy.refine?.(session, unlimited)])
}

/** The solver that was asked for runs in any case; Z3 confirms where its word is not enough. */
async function searchWith(task: Task, session: Session, solver: string): Promise<void> {
  await untilSettled(session, async signal => {
    await runExact(task, session, solver, signal, true)
    const confirms = solver !== 'z3' && session.options.backends.some(backend => backend.id === 'z3')
    if (!session.isOver() && confirms && task.encodeDecision) await runExact(task, session, 'z3', signal)
  })
}

function emptyReason(task: Task, session: Session): Reason | undefined {
  if (!isEmpty(task, session)) return undefined
  return {
    code: 'NO_SCHEDULE',
    message: 'no timing of any order in this problem fits the memory of all ranks',
    advice: 'Lower activations or encoder outputs, raise memory.capacity, or free the body order (--problem joint).'
  }
}

/** The answer that the session's knowledge supports, no more. */
function conclude(session: Session, instance: string, reason: Reason | undefined): Answer {
  const certificate = session.certificate(instance)
  if (reason) return { status: 'infeasible', reason, certificate }
  const { point } = session
  if (point && point.value < session.lowerBound)
    throw new Error(`a bound of ${session.lowerBound} exceeds a legal schedule of ${point.value}`)
  if (!point) return { status: 'unknown', certificate }
  const common = { point: point.verified, schedule: point.schedule, value: point.value, certificate }
  if (session.isProved()) return { status: 'optimal', ...common }
  const claimed: Tick = session.assumedBound()
  return { status: 'feasible', ...common, ...(claimed > session.lowerBound ? { claimedBound: claimed } : {}) }
}
