import type { Host } from '../host/port.ts'
import { cappedAt, largestPeak, provedLonger, type Run, remainingMs } from './capped.ts'
import { DEFAULT_OPTIONS, type SolveOptions, type SolveResult } from './types.ts'

/**
 * Among optimal makespans the smallest maximum over ranks of the peak: every further run allows one byte less than the
 * best peak so far and asks for the same makespan, until that is proved impossible. Leaves results alone that are not
 * optimal, since their ties say nothing.
 */
export async function breakTie(
  first: SolveResult,
  options: Partial<SolveOptions>,
  host: Host,
  run: Run
): Promise<SolveResult> {
  const { answer, instance } = first
  if (answer.status !== 'optimal' || first.objective !== 'makespan') return first
  const from = host.now() - first.solver.wallMs
  const limit = options.timeLimitMs ?? DEFAULT_OPTIONS.timeLimitMs
  let best = first
  for (;;) {
    const peak = largestPeak(best) ?? 0
    const narrower = {
      ...options,
      tieBreak: 'none' as const,
      enough: answer.value,
      timeLimitMs: remainingMs(host, from, limit, options.deterministic)
    }
    const next = await run(cappedAt(instance, peak - 1), narrower, host, answer.certificate)
    const attempts = [...best.attempts, ...next.attempts]
    const solver = { ...best.solver, wallMs: host.now() - from }
    if ('point' in next.answer && next.answer.value <= answer.value) {
      const { point, schedule } = next.answer
      best = {
        ...best,
        answer: { ...answer, point, schedule },
        attempts,
        solver: { ...solver, name: next.solver.name, version: next.solver.version }
      }
      continue
    }
    const proved = provedLonger(next, answer.value)
    const { certificate } = next.answer
    const reason = next.answer.status === 'infeasible' ? { reason: next.answer.reason } : {}
    return { ...best, attempts, solver, tieBreak: { peak, proved, certificate, ...reason } }
  }
}
