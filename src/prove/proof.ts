import type { CertificateDocument } from '../optimize/document.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import type { Byte, Tick } from '../schedule/measured.ts'
import type { GapChange } from '../verify/transport/repair.ts'
import type { NamedEvent, Place } from '../verify/violation.ts'

/** How much a proof says: of these times; of this order whatever the durations; that nothing legal is shorter. */
export type Strength = 'this schedule' | 'this order, for every duration' | 'optimal'

/** Durations that break an order, with what they lead to, in ticks. What is not special takes 1, transfers take 0. */
export type CounterexampleDocument = {
  readonly special: readonly string[]
  readonly tick: Tick
  readonly ranks: readonly (readonly { readonly event: string; readonly start: Tick; readonly end: Tick }[])[]
}

/** One reason why a schedule or order is not legal, timed or not. */
export type ProofViolation = {
  readonly code: string
  readonly rank?: number
  readonly step?: number
  /** The event, or its text where the order comes from another tool. */
  readonly event?: NamedEvent | string
  readonly other?: Place
  /** Line and cell of the file, where the order was read from one. */
  readonly position?: { readonly row: number; readonly column: number }
  /** Transport that the verdict rests on, for orders as runtimes list them. */
  readonly assumes?: string
  readonly cycle?: readonly string[]
  readonly message: string
  readonly advice: string
  readonly counterexample?: CounterexampleDocument
}

/** What the solver's own run of a proof said. */
export type SolverChecks = {
  readonly engine: string
  readonly status: 'confirmed' | 'refuted' | 'undecided'
  readonly checks: readonly { readonly what: string; readonly expected: string; readonly got: string }[]
  /** Per class of edges that a rule rests on: times that break a rule once the class is left out. */
  readonly witnesses: readonly { readonly without: string; readonly counterexample: string }[]
}

/** What was proved for every duration. */
export type DurationsDocument = {
  /** Edges and dependencies that were decided on the graph. */
  readonly decided: { readonly events: number; readonly edges: number; readonly dependencies: number }
  readonly inFlight: readonly number[]
  readonly peakMemory?: readonly Byte[]
  readonly needed: readonly string[]
  readonly implied: readonly string[]
  readonly solver?: SolverChecks
}

/** An order on an instance: its makespan, that of the families, and what the search makes of it. */
export type TimingDocument = {
  readonly makespan: Tick
  readonly violations: readonly ProofViolation[]
  readonly families: readonly { readonly family: string; readonly makespan: Tick; readonly legal: boolean }[]
  readonly improved?: {
    readonly problem: string
    readonly status: string
    readonly makespan: Tick
    readonly lowerBound: Tick
    readonly schedule: ScheduleDocument
  }
}

/** Whether a bound was confirmed, by what, and what is left in doubt. */
export type OptimalityDocument = {
  readonly status: 'proved' | 'refuted' | 'undecided'
  readonly makespan: Tick
  /** What was minimised, where that is not the makespan: the largest spill. */
  readonly value?: Tick
  readonly lowerBound: Tick
  readonly checks: readonly {
    readonly evidence: string
    readonly confirmed: boolean
    readonly by: string
    readonly detail: string
  }[]
}

/** `tropipe.proof/1`. Rules for every duration are decided on the graph; a solver that ran out of time leaves them so. */
export type ProofDocument = {
  readonly format: 'tropipe.proof/1'
  readonly legal: boolean
  readonly strength: Strength
  readonly makespan?: Tick
  readonly violations: readonly ProofViolation[]
  readonly transports?: readonly { readonly transport: string; readonly finishes: boolean; readonly assumes: string }[]
  /** What to change in the lists of transfers so that no transport hangs. */
  readonly repair?: readonly GapChange[]
  readonly timing?: TimingDocument
  readonly everyDuration?: DurationsDocument
  readonly optimal?: OptimalityDocument
  readonly certificate?: CertificateDocument
  readonly notes?: readonly string[]
}
