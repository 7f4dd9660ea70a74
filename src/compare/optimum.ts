import { certificateDocument } from '../optimize/document.ts'
import type { SolveResult } from '../optimize/types.ts'
import type { CompareOptions } from './compare.ts'

/** What a comparison takes over from a search: status, makespan and bound with its certificate, and the schedule. */
export function optimumOfResult({
  problem,
  answer
}: Pick<SolveResult, 'problem' | 'answer'>): NonNullable<CompareOptions['optimum']> {
  const { lowerBound } = answer.certificate
  const known = { status: answer.status, lowerBound, problem, certificate: certificateDocument(answer.certificate) }
  if (answer.status === 'infeasible') return { ...known, reason: answer.reason.message }
  if (!('point' in answer)) return known
  return { ...known, makespan: answer.point.makespan, schedule: answer.point.document }
}
