import type { Cp, Milp, Model, Smt } from '../encoding/model/types.ts'
import type { Host } from '../host/port.ts'

export type { Cp, Milp, Model, Smt }

/** Which program answered; both versions where package and engine name different ones. */
export type Engine = { readonly name: string; readonly version: string }

/**
 * Why a run ended: `proved` it finished and its status is its last word; `time`, `steps`, `memory`: a limit came first;
 * `crash`: it failed, died or cannot be loaded; `cancelled`: the caller stopped it.
 */
export type Stop = 'proved' | 'time' | 'steps' | 'memory' | 'crash' | 'cancelled'

/** What a solver says of the model. A claim: points are re-simulated and bounds confirmed elsewhere. */
export type Status = 'optimal' | 'feasible' | 'infeasible' | 'unbounded' | 'sat' | 'unsat'

/**
 * One run of one solver on one model. `values` (one per variable; SMT: integers, then Booleans as 0/1) is absent where
 * the solver has no point. `claimedBound` is a lower bound on the objective, where the solver states one.
 */
export type Outcome = {
  readonly stop: Stop
  readonly status?: Status
  readonly values?: Float64Array
  readonly claimedBound?: number
  /** The solver's own words, cut to a readable length. */
  readonly raw: string
  readonly engine: Engine
}

/** One model to solve, with its limits. Durations in milliseconds, memory in bytes. */
export type SolveRequest = {
  readonly model: Model
  readonly timeLimitMs: number
  readonly seed?: number
  readonly threads?: number
  /** Stops after this many solver steps (its own unit) in place of the clock: repeatable. */
  readonly stepLimit?: number
  readonly memoryBytes?: number
  /** A point of the model to start from, for backends that can; one that is no point of it is not handed to them. */
  readonly hint?: ArrayLike<number>
}

/** What a solver knows while it still runs: a point (one value per variable), a lower bound, or both. Claims, as those of an outcome. */
export type Finding = { readonly values?: Float64Array; readonly claimedBound?: number; readonly engine: Engine }

/** What a run is given beside its request. */
export type RunContext = {
  /** Hands a finding over at once; may be called as often as there is one, until the outcome is there. */
  readonly report?: (finding: Finding) => void
  readonly host?: Host
  readonly signal?: AbortSignal
}

/** What a backend can do; the optimizer chooses by it. */
export type Capabilities = {
  readonly models: readonly Model['kind'][]
  /** Whether its last word on a whole model (optimal, infeasible, unsat) may serve as evidence, once confirmed. */
  readonly provesBound: boolean
  readonly warmStart: boolean
  readonly seeded: boolean
  readonly stepLimit: boolean
  /** What it hands over while it runs, where a run is long enough. */
  readonly streams: readonly ('points' | 'bounds')[]
  /** Why it is never chosen by itself, where that is so. */
  readonly notAutomatic?: string
}

/** What is known of a solver without loading it. */
export type BackendInfo = {
  readonly id: string
  readonly title: string
  readonly capabilities: Capabilities
  /** `worker`: in a solver worker; `child`: in a child process with a memory cap; `program`: a native program on PATH. */
  readonly runs: 'worker' | 'child' | 'program'
  /** How to get it, where it is optional. */
  readonly install?: string
  /** URL of a JavaScript module that exports `backend`, for solvers that do not come with this package. */
  readonly module?: string
  /** What a line that its child process prints says of the run, for engines that tell it nowhere else. */
  readonly readLog?: (line: string) => Finding | undefined
}

/** A solver behind the port. `solve` may block: it runs in a worker or child, never in the main thread. */
export type Backend = BackendInfo & {
  readonly solve: (request: SolveRequest, context?: RunContext) => Promise<Outcome>
  /** Its engine's name and version, without solving; rejects where it is not installed. */
  readonly version: (host?: Host) => Promise<Engine>
}
