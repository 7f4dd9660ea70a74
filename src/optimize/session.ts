import type { Host } from '../host/port.ts'
import type { Certificate, Engine, Evidence } from '../schedule/certificate.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Point } from './point.ts'
import type { Attempt, SolveOptions } from './types.ts'

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
  /** Best bound that a solver claims and nothing confirms. */
  claimedBound: Tick | undefined

  constructor(host: Host, options: SolveOptions) {
    this.host = host
    this.options = options
    this.startedAt = host.now()
  }

  elapsedMs(): number {
    return this.host.now() - this.startedAt
  }

  remainingMs(): number {
    return Math.max(0, this.options.timeLimitMs - this.elapsedMs())
  }

  /** Whether to stop: nothing left to prove, out of time, or cancelled. */
  isOver(): boolean {
    return this.isProved() || this.remainingMs() <= 0 || this.options.signal?.aborted === true
  }

  isProved(): boolean {
    return this.point !== undefined && this.point.verified.makespan <= this.lowerBound
  }

  /** Keeps a point if it is better; equal makespans count as better where `prefer` says so. */
  offer(point: Point, finder: Engine, prefer: (a: Point, b: Point) => boolean = () => false): boolean {
    const best = this.point
    const shorter = !best || point.verified.makespan < best.verified.makespan
    const tied = best !== undefined && point.verified.makespan === best.verified.makespan && prefer(point, best)
    if (!shorter && !tied) return false
    this.point = point
    this.finder = finder
    this.report(finder.name)
    return true
  }

  /** Raises the proven bound. */
  prove(ticks: Tick, evidence: readonly Evidence[], by: string): void {
    if (ticks < this.lowerBound || (ticks === this.lowerBound && this.evidence.length > 0)) return
    this.lowerBound = ticks
    this.evidence = evidence
    this.report(by)
  }

  claim(ticks: Tick): void {
    this.claimedBound = Math.max(ticks, this.claimedBound ?? ticks)
  }

  report(by: string): void {
    this.options.onProgress?.({
      elapsedMs: this.elapsedMs(),
      incumbent: this.point?.verified.makespan,
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
