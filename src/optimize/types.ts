import type { Certificate, Engine } from '../schedule/certificate.ts'
import type { Binding } from '../schedule/closed-form.ts'
import type { Byte, Measured, Tick } from '../schedule/measured.ts'
import type { Schedule } from '../schedule/problem.ts'
import { BACKENDS } from '../solvers/backends.ts'
import type { BackendInfo, Outcome } from '../solvers/port.ts'
import type { Verified } from '../verify/verify.ts'

export type ProblemName = 'owner' | 'placement' | 'reorder' | 'joint'

export type Objective = 'makespan' | 'spill'

/** What the caller asks of `optimize`. Times in milliseconds. */
export type SolveOptions = {
  readonly problem: ProblemName
  readonly objective: Objective
  /** `auto`, or the backend that must run whatever the bounds say already. */
  readonly solver: string
  readonly timeLimitMs: number
  readonly seed: number
  readonly threads: number
  /** Step limits in place of clocks and races: same input and seed, same answer. */
  readonly deterministic: boolean
  readonly tieBreak: 'none' | 'memory'
  /** Stop once it is proved that nothing reaches this value: the caller needs no longer schedule than that. */
  readonly enough?: Tick
  /** Called whenever the incumbent or the bound improves, and now and then besides. */
  readonly onProgress?: (progress: Progress) => void
  /** Replaces the built-in solvers, for tests of what a broken one can do. */
  readonly backends: readonly BackendInfo[]
  /** Stops the search; the incumbent and its bound are the answer. */
  readonly signal?: AbortSignal
}

export const DEFAULT_OPTIONS: SolveOptions = {
  problem: 'placement',
  objective: 'makespan',
  solver: 'auto',
  timeLimitMs: 60_000,
  seed: 1,
  threads: 1,
  deterministic: false,
  tieBreak: 'none',
  backends: BACKENDS
}

/** State of the search for people: ticks, and who changed it last. */
export type Progress = {
  readonly elapsedMs: number
  readonly incumbent: Tick | undefined
  readonly lowerBound: Tick
  readonly by: string
}

/** Why nothing fits, in terms that a user can act on. */
export type Reason = {
  readonly code: 'FIXED_BYTES' | 'BODY_BYTES' | 'ENCODE_BYTES' | 'NO_SCHEDULE'
  readonly message: string
  readonly advice: string
  readonly rank?: number
  readonly needed?: Byte
  readonly capacity?: Byte
}

/** The answer of the tool. `value` is what was minimised: the makespan, or the largest spill. A point is always checked; `optimal` means that its makespan is the certificate's bound. */
export type Answer =
  | {
      readonly status: 'optimal'
      readonly point: Verified
      readonly schedule: Schedule
      readonly value: Tick
      readonly certificate: Certificate
    }
  | {
      readonly status: 'feasible'
      readonly point: Verified
      readonly schedule: Schedule
      readonly value: Tick
      readonly certificate: Certificate
      /** A solver's bound that nothing else confirms. */
      readonly claimedBound?: Tick
    }
  | { readonly status: 'infeasible'; readonly reason: Reason; readonly certificate: Certificate }
  | { readonly status: 'unknown'; readonly certificate: Certificate }

/** How the result of an attempt begins that was not made; the reason follows. */
export const NOT_USED = 'not used: '

/** One thing that was tried: what it found, in words, and how long it took. */
export type Attempt = {
  readonly by: string
  readonly result: string
  readonly wallMs: number
  readonly outcome?: Omit<Outcome, 'values'>
}

/** The optimum against the closed form of `transpose-full` (spec algebra section 2), ticks. */
export type CrossCheck =
  | {
      readonly closedForm: {
        readonly paper: Tick
        readonly exact: Tick
        readonly exactLegal: boolean
        readonly absorbed: Tick
        readonly arrival: Tick
        readonly drain: Tick
        readonly binding: Binding
      }
      readonly optimum: Tick | undefined
      readonly holds: boolean | 'not-applicable'
    }
  | { readonly holds: 'not-applicable'; readonly why: string }

/** The smallest peak among optimal schedules. */
export type TieBreak = {
  /** Largest peak of any rank of the schedule. */
  readonly peak: Byte
  /** Whether no optimal schedule stays below it. */
  readonly proved: boolean
  /** Of the run that allowed one byte less: its lower bound is above the optimum where `proved`, unless nothing fits. */
  readonly certificate: Certificate
  /** Why nothing fits one byte less. */
  readonly reason?: Reason
}

export type SolveResult = {
  readonly instance: Measured
  readonly problem: ProblemName
  readonly objective: Objective
  readonly answer: Answer
  readonly crossCheck: CrossCheck
  /** With `tieBreak: 'memory'`, where the answer is optimal. */
  readonly tieBreak?: TieBreak
  readonly attempts: readonly Attempt[]
  readonly solver: Engine & { readonly seed: number; readonly wallMs: number; readonly deterministic: boolean }
}
