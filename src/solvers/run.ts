import { linkedAbort } from '../base/abort.ts'
import { fail } from '../base/fault.ts'
import { didYouMean } from '../base/suggest.ts'
import { validateModel } from '../encoding/model/validate.ts'
import type { Host, WorkerHandle } from '../host/port.ts'
import { BACKENDS } from './backends.ts'
import { Findings } from './findings.ts'
import { pointless, readable, unknownEngine } from './outcome.ts'
import { pointFault } from './point.ts'
import type { BackendInfo, Engine, Finding, Outcome, SolveRequest, Stop } from './port.ts'
import { unsupported } from './unsupported.ts'
import type { Notice, Question, Reply } from './worker.ts'

/** How a run is watched and stopped. */
export type RunOptions = {
  /** Stops the run with outcome `cancelled`. */
  readonly signal?: AbortSignal
  /** Replaces the built-in list. */
  readonly backends?: readonly BackendInfo[]
  /** Called at once with what the solver finds before its outcome: points that satisfy the model, and bounds, which are claims. */
  readonly onFinding?: (finding: Finding) => void
}

/** Time that a solver gets to come back by itself after its limit, before it is stopped. */
const GRACE_MS = 150

/**
 * Runs one solver on one model in a worker, within its time limit whatever the solver does: one that hangs is stopped, one
 * that dies is an outcome `crash`. A returned point satisfies its model: others are dropped here. A run that is stopped or
 * dies returns the best that it had handed over.
 * @throws FaultError UNKNOWN_SOLVER, MODEL_INVALID
 */
export async function runBackend(
  host: Host,
  id: string,
  request: SolveRequest,
  options: RunOptions = {}
): Promise<Outcome> {
  const info = infoOf(id, options)
  validateModel(request.model)
  if (!info.capabilities.models.includes(request.model.kind)) return unsupported(info, request.model.kind)
  if (options.signal?.aborted) return pointless('cancelled', unknownEngine(id), 'cancelled before it started')
  const question: Question = {
    ask: 'solve',
    id,
    request: withSoundHint(request, info),
    ...(info.module ? { module: info.module } : {})
  }
  const limits = {
    ms: request.timeLimitMs + GRACE_MS,
    ...(request.memoryBytes ? { memoryBytes: request.memoryBytes } : {})
  }
  const findings = new Findings(id, request.model, options.onFinding ?? (() => {}))
  const reply = await listen(findings, options.signal, (take, signal) =>
    ask(host, info, question, limits, take, signal)
  )
  if (!('outcome' in reply)) return pointless('crash', unknownEngine(id), 'the solver worker answered another question')
  return findings.complete(distrust(explain(reply.outcome, info), request))
}

/** Takes findings while a run goes on; what the caller throws at one of them stops the run and is thrown to it again. */
async function listen(
  findings: Findings,
  given: AbortSignal | undefined,
  run: (take: (finding: unknown) => void, signal: AbortSignal) => Promise<Reply>
): Promise<Reply> {
  const { signal, abort, unlink } = linkedAbort(given)
  const thrown: unknown[] = []
  const take = (finding: unknown) => {
    try {
      if (thrown.length === 0) findings.take(finding)
    } catch (error) {
      thrown.push(error)
      abort()
    }
  }
  const reply = await run(take, signal)
  unlink()
  if (thrown.length > 0) throw thrown[0]
  return reply
}

/** Engine name and version of a backend; undefined where it is not installed. */
export async function backendVersion(host: Host, id: string, options: RunOptions = {}): Promise<Engine | undefined> {
  const info = infoOf(id, options)
  const question: Question = { ask: 'version', id, ...(info.module ? { module: info.module } : {}) }
  const reply = await ask(host, info, question, { ms: 60_000 }, () => {}, options.signal)
  return 'engine' in reply ? reply.engine : undefined
}

function infoOf(id: string, options: RunOptions): BackendInfo {
  const backends = options.backends ?? BACKENDS
  const info = backends.find(backend => backend.id === id)
  return (
    info ??
    fail(
      'UNKNOWN_SOLVER',
      'solver',
      id,
      `there is no solver "${readable(id)}"`,
      didYouMean(
        readable(id),
        backends.map(b => b.id)
      )
    )
  )
}

/** The request without a hint that the backend has no use for, or that breaks the model: engines differ in what they make of one. */
function withSoundHint({ hint, ...request }: SolveRequest, { capabilities }: BackendInfo): SolveRequest {
  const sound = hint && capabilities.warmStart && pointFault(request.model, hint) === undefined
  return sound ? { ...request, hint } : request
}

/** An absent optional engine says how to get it. */
function explain(outcome: Outcome, info: BackendInfo): Outcome {
  if (info.install === undefined || !outcome.raw.endsWith('is not installed')) return outcome
  return { ...outcome, raw: `${outcome.raw}; install it with: ${info.install}` }
}

const STOPS: readonly Stop[] = ['proved', 'time', 'steps', 'memory', 'crash', 'cancelled']

/** Drops a point that does not satisfy its model, with every claim that came with it; so too an ending that nobody knows. */
function distrust(outcome: Outcome, { model }: SolveRequest): Outcome {
  if (!STOPS.includes(outcome.stop))
    return pointless('crash', outcome.engine, `unknown ending "${outcome.stop}": ${outcome.raw}`)
  if (!outcome.values) return outcome
  const fault = pointFault(model, outcome.values)
  if (!fault) return outcome
  return pointless('crash', outcome.engine, `${outcome.raw}; not a solution: ${fault}`)
}

type Limits = { readonly ms: number; readonly memoryBytes?: number }

/** A worker shares the memory of this process; a solver with a cap, or one that asks for it, gets a child process. */
async function ask(
  host: Host,
  info: BackendInfo,
  question: Question,
  limits: Limits,
  take: (finding: unknown) => void,
  signal?: AbortSignal
): Promise<Reply> {
  if (info.runs === 'program') return (await import('./program.ts')).askProgram(host, info, question, take, signal)
  if (info.runs === 'child' || limits.memoryBytes !== undefined)
    return (await import('./child.ts')).askChild(host, info, question, limits, take, signal)
  return converse(host, info, question, limits.ms, take, signal)
}

const idle = new WeakMap<Host, Map<string, WorkerHandle[]>>()

function idleWorkers(host: Host, key: string): WorkerHandle[] {
  const byKey = idle.get(host) ?? new Map<string, WorkerHandle[]>()
  idle.set(host, byKey)
  const workers = byKey.get(key) ?? []
  byKey.set(key, workers)
  return workers
}

/** Stops the workers that wait, engines loaded, for the next run. */
export async function releaseSolvers(host: Host): Promise<void> {
  const workers = [...(idle.get(host)?.values() ?? [])].flat()
  idle.delete(host)
  await Promise.all(workers.map(worker => worker.terminate()))
}

/** One question to a worker, findings, one reply; a worker that finished cleanly is kept for the next question to the same solver. */
function converse(
  host: Host,
  info: BackendInfo,
  question: Question,
  limitMs: number,
  take: (finding: unknown) => void,
  signal?: AbortSignal
): Promise<Reply> {
  const key = info.module ?? info.id
  const worker = idleWorkers(host, key).pop() ?? host.spawnSolver()
  worker.keepAlive(true)
  return new Promise<Reply>(resolve => {
    const cancelTimer = host.after(limitMs, () => finish(stopped('time', 'stopped at the time limit'), true))
    const onAbort = () => finish(stopped('cancelled', 'cancelled'), true)
    signal?.addEventListener('abort', onAbort)
    const stopped = (stop: Outcome['stop'], raw: string): Reply => ({
      outcome: pointless(stop, unknownEngine(info.id), raw),
      spent: true
    })
    let done = false
    const finish = (reply: Reply, discard: boolean) => {
      if (done) return
      done = true
      cancelTimer()
      signal?.removeEventListener('abort', onAbort)
      if (discard) void worker.terminate()
      else retire(host, key, worker)
      resolve(reply)
    }
    worker.onExit(error => finish(stopped('crash', error ?? 'the solver worker ended without an answer'), true))
    worker.onMessage(message => {
      if (done) return
      const said = message as Reply | Notice
      if ('finding' in said) take(said.finding)
      else finish(said, 'outcome' in said ? said.spent : !('engine' in said))
    })
    worker.post(question)
  })
}

function retire(host: Host, key: string, worker: WorkerHandle): void {
  const workers = idleWorkers(host, key)
  workers.push(worker)
  worker.keepAlive(false)
  worker.onExit(() => {
    const at = workers.indexOf(worker)
    if (at >= 0) workers.splice(at, 1)
  })
}
