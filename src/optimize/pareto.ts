import type { Host } from '../host/port.ts'
import type { Byte, Measured, Tick } from '../schedule/measured.ts'
import { cappedAt, type Known, largestPeak, remainingMs } from './capped.ts'
import { solveOnce } from './optimize.ts'
import { type Answer, DEFAULT_OPTIONS, type Reason, type SolveOptions, type SolveResult } from './types.ts'

/** One trade-off: no schedule is shorter whose largest peak is at most `peak` (where `proved`). */
export type FrontPoint = {
  /** Largest peak of any rank. */
  readonly peak: Byte
  readonly makespan: Tick
  /** Most bytes of a rank in the run that found it; absent for the first, which has the instance's capacities. */
  readonly allowed?: Byte
  readonly proved: boolean
  readonly answer: Extract<Answer, { readonly status: 'optimal' | 'feasible' }>
}

/** The front of makespan against peak memory, shortest first. */
export type Front = {
  readonly points: readonly FrontPoint[]
  /** Whether every point is proved and nothing with a smaller peak exists. */
  readonly complete: boolean
  /** Why nothing has a smaller peak than the last point, where that is proved; absent where that one needs no memory. */
  readonly end?: Reason
  /** The first run: the answer of a solve without `--pareto`. */
  readonly first: SolveResult
}

/**
 * Sweeps the capacity downward: solves, then allows one byte less than the peak that was found, until nothing fits, no
 * memory is needed, or the time is up. Points that a later one equals in makespan are dropped. Lower bounds carry over, since less room never helps.
 */
export async function paretoFront(measured: Measured, options: Partial<SolveOptions>, host: Host): Promise<Front> {
  const from = host.now()
  const limit = options.timeLimitMs ?? DEFAULT_OPTIONS.timeLimitMs
  const plain = { ...options, tieBreak: 'none' as const, objective: 'makespan' as const }
  const first = await solveOnce(measured, plain, host)
  let points: FrontPoint[] = []
  let allowed: Byte | undefined
  let known: Known = first.answer.certificate
  for (let result = first; ; ) {
    const { answer } = result
    if (!('point' in answer)) {
      const end = answer.status === 'infeasible' ? answer.reason : undefined
      const complete = end !== undefined && points.every(point => point.proved)
      return { points, complete, ...(end ? { end } : {}), first }
    }
    const peak = largestPeak(result) ?? 0
    const point = { peak, makespan: answer.value, proved: answer.status === 'optimal', answer }
    points = [
      ...points.filter(other => other.makespan < point.makespan),
      allowed === undefined ? point : { ...point, allowed }
    ]
    if (answer.certificate.lowerBound >= known.lowerBound) known = answer.certificate
    if (peak === 0) return { points, complete: points.every(known => known.proved), first }
    allowed = peak - 1
    const timeLimitMs = remainingMs(host, from, limit, options.deterministic)
    if (timeLimitMs === 0 || options.signal?.aborted) return { points, complete: false, first }
    result = await solveOnce(cappedAt(measured, allowed), { ...plain, timeLimitMs }, host, known)
  }
}
