import { notYet } from '../base/fault.ts'
import { placementBounds } from '../bounds/index.ts'
import type { Host } from '../host/port.ts'
import { bodyOrder, bodySequences } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import { construct, type PlacementTask } from './constructive.ts'
import { crossCheck } from './cross-check.ts'
import { memoryReason } from './infeasible.ts'
import { refine } from './refine.ts'
import { Session } from './session.ts'
import { type Answer, DEFAULT_OPTIONS, type Reason, type SolveOptions, type SolveResult } from './types.ts'

/**
 * Finds the shortest legal schedule of an instance, with a proven lower bound: bounds first, then constructive orders,
 * then search and exact solvers until proved or out of time. Every point was accepted by the checker.
 * @throws FaultError for caller mistakes, and NOT_YET for problems that nothing solves yet
 */
export async function optimize(measured: Measured, options: Partial<SolveOptions>, host: Host): Promise<SolveResult> {
  const session = new Session(host, { ...DEFAULT_OPTIONS, ...options })
  const { problem: name } = session.options
  if (name !== 'placement') notYet('problem', `the problem "${name}"`, 'Use placement.')
  const problem = buildProblem(measured)
  const order = bodyOrder(measured)
  const task = { measured, problem, bodyOrder: order, body: bodySequences(problem, order) }
  const bounds = placementBounds(problem, task.body)
  const withoutMemory: Tick = bounds[0].ticks
  session.prove(withoutMemory, [bounds[0]], bounds[0].name)
  const reason = memoryReason(problem, task.body)
  if (!reason) await search(task, session)
  const answer = conclude(session, measured.hash, reason)
  const best = answer.status === 'optimal' || answer.status === 'feasible' ? answer.point.makespan : undefined
  return {
    instance: measured,
    problem: name,
    objective: session.options.objective,
    answer,
    crossCheck: crossCheck(measured, best, withoutMemory),
    attempts: session.attempts,
    solver: {
      ...session.finder,
      seed: session.options.seed,
      wallMs: session.elapsedMs(),
      deterministic: session.options.deterministic
    }
  }
}

/** Share of the time that search gets before exact solvers. */
const REFINE_STEPS = 20_000

async function search(task: PlacementTask, session: Session): Promise<void> {
  construct(task, session)
  if (session.isOver()) return
  await refine(task, session, { steps: REFINE_STEPS, untilMs: session.host.now() + session.remainingMs() / 3 })
}

/** The answer that the session's knowledge supports, no more. */
function conclude(session: Session, instance: string, reason: Reason | undefined): Answer {
  const certificate = session.certificate(instance)
  if (reason) return { status: 'infeasible', reason, certificate }
  const { point } = session
  if (!point) return { status: 'unknown', certificate }
  const common = { point: point.verified, schedule: point.schedule, certificate }
  if (session.isProved()) return { status: 'optimal', ...common }
  const claimed = session.claimedBound
  return { status: 'feasible', ...common, ...(claimed === undefined ? {} : { claimedBound: claimed }) }
}
