import { maximum } from '../base/arrays.ts'
import type { Host } from '../host/port.ts'
import type { Certificate } from '../schedule/certificate.ts'
import { problemOfDocument } from '../schedule/document-problem.ts'
import type { Byte, Measured, Tick } from '../schedule/measured.ts'
import { peakBytes } from '../schedule/memory.ts'
import type { SolveOptions, SolveResult } from './types.ts'

/** A bound that is known before a run starts: its ticks and its evidence. */
export type Known = Pick<Certificate, 'lowerBound' | 'evidence'>

/** One run of the search; `known` is a bound from a run with more room, which holds for less room too. */
export type Run = (
  measured: Measured,
  options: Partial<SolveOptions>,
  host: Host,
  known?: Known
) => Promise<SolveResult>

/** The same instance where no rank may hold more than `bytes`. Its legal schedules are legal for the instance as it was. */
export function cappedAt(measured: Measured, bytes: Byte): Measured {
  return { ...measured, capacity: measured.capacity.map(limit => Math.min(limit ?? bytes, bytes)) }
}

/** Largest peak of any rank, fixed bytes included; undefined where a result has no schedule. */
export function largestPeak({ answer, instance }: SolveResult): Byte | undefined {
  if (!('point' in answer)) return undefined
  return maximum(peakBytes(problemOfDocument(instance, answer.point.document), answer.schedule))
}

/** Whether a run proved that nothing within its capacities is as short as `value`. */
export function provedLonger({ answer }: SolveResult, value: Tick): boolean {
  return answer.status === 'infeasible' || answer.certificate.lowerBound > value
}

/** Milliseconds that are left of a limit for a series of runs that began at `from`; all of it where clocks may not decide. */
export function remainingMs(host: Host, from: number, limit: number, deterministic = false): number {
  if (deterministic) return limit
  return Math.max(0, limit - (host.now() - from))
}
