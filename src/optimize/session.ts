import type { Host } from '../host/port.ts'
import type { Certificate, Engine, Evidence } from '../schedule/certificate.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Point } from './point.ts'
import type { Attempt, SolveOptions } from './types.ts'

/** One engine's word that nothing is better than `ticks`; `by` tells runs apart that may confirm each other. */
export type Claim = {
  readonly ticks: Tick
  readonly by: string
  readonly evidence: Exclude<Evidence, { kind: 'bound' }>
}

/** Stands for no time limit: about twelve days, which every timer and solver can count to. */
const UNLIMITED_MS = 1_000_000_000

/**
 * What one run knows so far: the best checked point, the best proven bound with its evidence, and what was tried. The
 * one mutable thing of a run.
 */
export class Session {
  readonly host: Host
  readonly options: SolveOptions
  readonly attempts: Attempt[] = []
  readonly startedAt: number
  point: Point | undefined
  /** Who found the point. */
  finder: Engine = { name: 'none', version: '' }
  lowerBound: Tick = 0
  evidence: readonly Evidence[] = []
  /** The highest claim of each run. */
  readonly #claims = new Map<string, Claim>()
  #confirmed: Tick = 0
  readonly #watchers = new Set<() => void>()

  constructor(host: Host, options: SolveOptions) {
    this.host = host
    this.options = options
    this.startedAt = host.now()
  }

  elapsedMs(): number {
    return this.host.now() - this.startedAt
  }

  /** Milliseconds left of the time limit; without end where clocks may not decide. */
  remainingMs(): number {
    if (this.options.deterministic) return UNLIMITED_MS
    return Math.max(0, this.options.timeLimitMs - this.elapsedMs())
  }

  /** Whether to stop: nothing left to find out, out of time, or cancelled. */
  isOver(): boolean {
    return this.isSettled() || this.remainingMs() <= 0 || this.options.signal?.aborted === true
  }

  /** Whether nothing is left to prove, or nothing to gain. */
  isSettled(): boolean {
    const { enough } = this.options
    return this.isProved() || (enough !== undefined && this.lowerBound > enough)
  }

  isProved(): boolean {
    return this.point !== undefined && this.point.value <= this.lowerBound
  }

  /** Keeps a point if it is better; equal values count as better where `prefer` says so. */
  offer(point: Point, finder: Engine, prefer: (a: Point, b: Point) => boolean = () => false): boolean {
    const best = this.point
    const shorter = !best || point.value < best.value
    const tied = best !== undefined && point.value === best.value && prefer(point, best)
    if (!shorter && !tied) return false
    this.point = point
    this.finder = finder
    this.report(finder.name)
    return true
  }

  /** Raises the proven bound, or adds to what supports it. */
  prove(ticks: Tick, evidence: readonly Evidence[], by: string): void {
    if (ticks < this.lowerBound) return
    this.evidence = ticks === this.lowerBound ? [...this.evidence, ...evidence] : evidence
    if (ticks === this.lowerBound) return
    this.lowerBound = ticks
    this.report(by)
  }

  /** Takes a solver's bound as a claim; it is proven once another run claims as much. */
  claim(claim: Claim): void {
    if (claim.ticks <= (this.#claims.get(claim.by)?.ticks ?? Number.NEGATIVE_INFINITY)) return
    this.#claims.set(claim.by, claim)
    this.#tellWatchers()
    const confirmed = [...this.#claims.values()].filter(one => this.#confirmationsOf(one).length > 0)
    const best = confirmed.sort((a, b) => b.ticks - a.ticks)[0]
    if (!best || best.ticks < this.lowerBound || best.ticks <= this.#confirmed) return
    this.#confirmed = best.ticks
    const others = this.#confirmationsOf(best).map(one => one.evidence)
    const evidence =
      best.evidence.kind === 'solver-bound' ? [{ ...best.evidence, confirmedBy: others }] : [best.evidence, ...others]
    this.prove(best.ticks, evidence, best.by)
  }

  #confirmationsOf(claim: Claim): Claim[] {
    return [...this.#claims.values()].filter(other => other.by !== claim.by && other.ticks >= claim.ticks)
  }

  /** Best bound that is claimed or proven, as far as the incumbent does not refute it: steers the search, proves nothing. */
  assumedBound(): Tick {
    const value = this.point?.value ?? Number.POSITIVE_INFINITY
    return Math.max(
      this.lowerBound,
      ...[...this.#claims.values()].map(claim => claim.ticks).filter(ticks => ticks <= value)
    )
  }

  /** Calls back whenever the incumbent, the bound or what is claimed changes; returns the end of it. */
  watch(callback: () => void): () => void {
    this.#watchers.add(callback)
    return () => this.#watchers.delete(callback)
  }

  #tellWatchers(): void {
    for (const callback of [...this.#watchers]) callback()
  }

  report(by: string): void {
    this.#tellWatchers()
    this.options.onProgress?.({
      elapsedMs: this.elapsedMs(),
      incumbent: this.point?.value,
      lowerBound: this.lowerBound,
      by
    })
  }

  /** Notes what was tried and how long it took since `from`. */
  note(by: string, result: string, from: number, outcome?: Attempt['outcome']): void {
    this.attempts.push({ by, result, wallMs: this.host.now() - from, ...(outcome ? { outcome } : {}) })
  }

  certificate(instance: string): Certificate {
    return { instance, problem: this.options.problem, lowerBound: this.lowerBound, evidence: this.evidence }
  }

  /** Lets timers, signals and worker messages in. */
  pause(): Promise<void> {
    return new Promise(resolve => {
      this.host.after(0, resolve)
    })
  }
}
