import type { InstanceDocument } from '../instance/index.ts'
import type { Certificate } from '../schedule/certificate.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Front, FrontPoint } from './pareto.ts'
import type { Answer, Attempt, CrossCheck, Objective, ProblemName, Reason, SolveResult, TieBreak } from './types.ts'

/** `tropipe.result/1`: what `solve` found, with everything that is needed to check it again. Times in ticks. */
export type ResultDocument = {
  readonly format: 'tropipe.result/1'
  readonly instance: InstanceDocument
  readonly instanceHash: string
  readonly problem: ProblemName
  readonly objective: Objective
  readonly status: Answer['status']
  readonly makespan?: Tick
  /** What was minimised, where that is not the makespan: the largest spill. */
  readonly value?: Tick
  /** Of the makespan, or of `value`. */
  readonly lowerBound: Tick
  /** (makespan - lowerBound) / makespan, or the same of `value`; 0 for a makespan or value of 0. */
  readonly gap?: number
  readonly claimedBound?: Tick
  readonly reason?: Reason
  readonly unit: string
  readonly ticksPerUnit: number
  readonly solver: SolveResult['solver'] & { readonly attempts: readonly Attempt[] }
  /** The strongest evidence of the lower bound, and what supports it besides; `none` where the bound is 0 for want of any. */
  readonly certificate: CertificateDocument
  readonly crossCheck: CrossCheck
  readonly tieBreak?: TieBreakDocument
  readonly pareto?: ParetoDocument
  readonly schedule?: ScheduleDocument
}

/** The smallest peak among optimal schedules, and what proves it. */
type TieBreakDocument = Omit<TieBreak, 'certificate'> & { readonly certificate: CertificateDocument }

/** The front of makespan against peak memory, each point with its own certificate. */
type ParetoDocument = Pick<Front, 'complete' | 'end'> & {
  readonly points: readonly (Omit<FrontPoint, 'answer' | 'proved'> & {
    readonly status: 'optimal' | 'feasible'
    readonly lowerBound: Tick
    readonly certificate: CertificateDocument
    readonly schedule: ScheduleDocument
  })[]
}

/** A certificate as it leaves the tool. */
export type CertificateDocument = Omit<Certificate, 'evidence'> & {
  readonly kind: string
  readonly besides: Certificate['evidence']
}

/** The document of a result; `instance` is the normalised document that it was solved for, `front` its Pareto front where asked for. */
export function toResultDocument(result: SolveResult, instance: InstanceDocument, front?: Front): ResultDocument {
  const { answer, instance: measured } = result
  return {
    format: 'tropipe.result/1',
    instance,
    instanceHash: measured.hash,
    problem: result.problem,
    objective: result.objective,
    status: answer.status,
    ...found(answer, result.objective),
    ...(answer.status === 'infeasible' ? { reason: answer.reason } : {}),
    unit: measured.unit,
    ticksPerUnit: measured.ticksPerUnit,
    solver: { ...result.solver, attempts: result.attempts },
    certificate: certificateDocument(answer.certificate),
    crossCheck: result.crossCheck,
    ...(result.tieBreak
      ? { tieBreak: { ...result.tieBreak, certificate: certificateDocument(result.tieBreak.certificate) } }
      : {}),
    ...(front ? { pareto: paretoOf(front) } : {}),
    ...('point' in answer ? { schedule: answer.point.document } : {})
  }
}

function paretoOf({ points, complete, end }: Front): ParetoDocument {
  return {
    complete,
    ...(end ? { end } : {}),
    points: points.map(({ answer, proved: _, ...point }) => ({
      ...point,
      status: answer.status,
      lowerBound: answer.certificate.lowerBound,
      certificate: certificateDocument(answer.certificate),
      schedule: answer.point.document
    }))
  }
}

function found(
  answer: Answer,
  objective: Objective
): Pick<ResultDocument, 'makespan' | 'value' | 'lowerBound' | 'gap' | 'claimedBound'> {
  const { lowerBound } = answer.certificate
  if (!('point' in answer)) return { lowerBound }
  const { value, point } = answer
  const claimed = answer.status === 'feasible' ? answer.claimedBound : undefined
  return {
    makespan: point.makespan,
    ...(objective === 'spill' ? { value } : {}),
    lowerBound,
    gap: value === 0 ? 0 : (value - lowerBound) / value,
    ...(claimed === undefined ? {} : { claimedBound: claimed })
  }
}

/** A certificate as documents carry it: its first evidence spelled out, the others besides. */
export function certificateDocument({
  evidence: [first, ...besides],
  ...certificate
}: Certificate): CertificateDocument {
  return { ...certificate, ...(first ?? { kind: 'none' }), besides }
}
