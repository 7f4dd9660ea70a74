import { linkedAbort } from '../../base/abort.ts'
import { fail } from '../../base/fault.ts'
import { didYouMean } from '../../base/suggest.ts'
import { backendVersion } from '../../solvers/index.ts'
import type { BackendInfo } from '../../solvers/port.ts'
import type { Session } from '../session.ts'
import type { Task } from '../task.ts'
import { type DecisionTask, decide } from './decide.ts'
import { minimise } from './minimise.ts'

/** Beyond this many pairs of encoder events and body events no exact model is worth building. */
const LARGEST_DECISION = 60_000
const LARGEST_MILP = 12_000
/** The same where no body is fixed: such decisions grow harder much faster, and would keep the search from its time. */
const LARGEST_FREE_DECISION = 1_200
/** CP-SAT learns from intervals, and gets further. */
const LARGEST_FREE_INTERVALS = 12_000

/** Up to so many pairs exact solvers usually end, and get the machine for themselves. */
const LARGEST_ALONE = 2_000

/** Whether the search should go on beside the exact solvers, which would hardly end by themselves. */
export function needsSearchBeside(task: Task): boolean {
  return exactSize(task) > LARGEST_ALONE
}

/** Pairs of events that an exact model has to order: encoder against body events, or all of a rank where no body is fixed. */
function exactSize({ problem, body }: Task): number {
  const occupying = problem.events.filter(event => event.occupies).length
  if (body.every(sequence => sequence.length === 0)) return Math.ceil(occupying ** 2 / (2 * problem.ranks))
  const free = problem.events.filter(event => event.key.kind === 'E' || event.key.kind === 'EB').length
  return free * body.reduce((total, sequence) => total + sequence.length, 0) + transferPairs(problem)
}

/** Pairs of transfers that share a rank, roughly, where they queue or block. */
function transferPairs({ communication, edges, ranks }: Task['problem']): number {
  return communication === 'latency' ? 0 : Math.ceil(edges.filter(edge => edge.lag >= 0).length ** 2 / (2 * ranks))
}

/** What the exact phase would do by itself, or why it does nothing. */
export type Selection = { readonly use: readonly string[]; readonly skipped: readonly string[] }

/** Chooses the exact solvers of a task by its size, its models and what clocks may decide. */
export function automaticSolvers(task: Task, { options }: Session): Selection {
  const size = exactSize(task)
  const fixed = task.bodyOrder !== undefined
  const why = (solver: string, has: boolean, model: string, largest: number): string | undefined => {
    const { capabilities } = options.backends.find(({ id }) => id === solver) ?? {}
    if (!capabilities) return 'not among the solvers of this run'
    if (!has) return `no ${model} model of this problem and objective`
    if (size > largest) return `${size} pairs to order, at most ${largest} are worth it`
    return options.deterministic && !capabilities.stepLimit ? 'only a clock could stop it' : undefined
  }
  const { encodeDecision, encodeMilp, encodeCp } = task
  const verdicts: (readonly [string, string | undefined])[] = [
    ['z3', why('z3', !!encodeDecision, 'decision', fixed ? LARGEST_DECISION : LARGEST_FREE_DECISION)],
    ['highs', why('highs', !!encodeMilp, 'integer', LARGEST_MILP)],
    ['cpsat', why('cpsat', !!encodeCp, 'interval', fixed ? LARGEST_DECISION : LARGEST_FREE_INTERVALS)],
    // Owner maps judged by spill are small: a second integer solver confirms the first before Z3 is loaded, at scales where both count.
    [
      'glpk',
      encodeDecision && !task.objectiveOf
        ? 'Z3 and HiGHS do its work'
        : why('glpk', !!encodeMilp, 'integer', LARGEST_MILP)
    ]
  ]
  const notAutomatic = options.backends
    .filter(({ id }) => !verdicts.some(([solver]) => solver === id))
    .map(({ id, capabilities }) => `${id}: ${capabilities.notAutomatic ?? 'only where asked for'}`)
  return {
    use: verdicts.filter(([, reason]) => reason === undefined).map(([solver]) => solver),
    skipped: [...verdicts.flatMap(([solver, reason]) => (reason ? [`${solver}: ${reason}`] : [])), ...notAutomatic]
  }
}

/** CP-SAT takes seconds to load: where the body is fixed, the others get this long to do without it. */
const LATE_START_MS = 4_000

/**
 * Runs exact solvers until the session is settled or out of time: all of `solvers` at once, or one after the other where
 * runs must be repeatable. What each finds on its way counts at once, so the first proof stops them all.
 */
export async function race(task: Task, session: Session, solvers: readonly string[]): Promise<void> {
  const isLate = (solver: string) => solver === 'cpsat' && task.bodyOrder !== undefined
  const [late, early] = [solvers.filter(isLate), solvers.filter(solver => !isLate(solver))]
  await untilSettled(session, async signal => {
    const run = async (solver: string) => {
      if (!signal.aborted && !session.isOver()) await runExact(task, session, solver, signal)
    }
    if (session.options.deterministic) {
      for (const solver of solvers) await run(solver)
      return
    }
    const first = Promise.all(early.map(run))
    if (late.length > 0) await headStart(session, first)
    await Promise.all([first, ...late.map(run)])
  })
}

/**
 * Does the work under a signal that aborts with the caller's, and as soon as the session is settled by whomever. Where it
 * is settled already, the work is done for its own sake, to its end.
 */
export async function untilSettled(session: Session, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { signal, abort, unlink } = linkedAbort(session.options.signal)
  const before = session.isSettled()
  const unwatch = session.watch(() => (session.isSettled() && !before ? abort() : undefined))
  try {
    await work(signal)
  } finally {
    unwatch()
    unlink()
  }
}

/** Until the others are done, or have had their time. */
async function headStart({ host }: Session, others: Promise<unknown>): Promise<void> {
  let cancel = () => {}
  const over = new Promise<void>(resolve => {
    cancel = host.after(LATE_START_MS, resolve)
  })
  await Promise.race([others, over])
  cancel()
}

/** Runs one solver on the model that it takes; with `insist` also where everything is proved already. */
export async function runExact(
  task: Task,
  session: Session,
  solver: string,
  signal: AbortSignal,
  insist = false
): Promise<void> {
  const { models } = backendOf(session, solver).capabilities
  if (models.includes('smt') && task.encodeDecision)
    return decide(task as DecisionTask, session, solver, signal, insist)
  const encode = models.includes('cp') ? task.encodeCp : models.includes('milp') ? task.encodeMilp : undefined
  if (encode) return minimise(task, session, solver, encode, signal)
  session.note(
    solver,
    `takes ${models.join(', ')} models, which this problem and objective do not have`,
    session.host.now()
  )
}

function backendOf(session: Session, solver: string): BackendInfo {
  const { backends } = session.options
  const known = backends.map(backend => backend.id)
  return (
    backends.find(backend => backend.id === solver) ??
    fail('UNKNOWN_SOLVER', 'solver', solver, `there is no solver "${solver}"`, didYouMean(solver, ['auto', ...known]))
  )
}

/** Checks before anything runs that the solver asked for is known and installed. @throws FaultError UNKNOWN_SOLVER, SOLVER_ABSENT */
export async function checkSolver(session: Session): Promise<void> {
  const { host, options } = session
  if (options.solver === 'auto') return
  const { id, title, install } = backendOf(session, options.solver)
  if (install === undefined || (await backendVersion(host, id, { backends: options.backends }))) return
  fail('SOLVER_ABSENT', 'solver', id, `${title} is not installed`, `Install it with: ${install}, or use --solver auto.`)
}
