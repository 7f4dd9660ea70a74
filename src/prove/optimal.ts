import type { BodyOrder } from '../algebra/orders/body.ts'
import { maximum } from '../base/arrays.ts'
import type { Host } from '../host/port.ts'
import { certificateDocument } from '../optimize/document.ts'
import { strategyOf } from '../optimize/strategies.ts'
import type { Objective } from '../optimize/types.ts'
import { bodyOrder } from '../schedule/body.ts'
import type { Certificate } from '../schedule/certificate.ts'
import { fromDocument, type ScheduleDocument } from '../schedule/document.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import { type Scale, timeText } from '../schedule/quantities.ts'
import { injectionOf, withInjection } from './optimal/any-injection.ts'
import { ownerShapeViolations } from './optimal/owner-shape.ts'
import type { Case, EvidenceCheck } from './optimal/recheck.ts'
import { recheckEvidence } from './optimal/recheck.ts'
import type { OptimalityDocument } from './proof.ts'
import { type Proof, proofOf, proveSchedule } from './schedule.ts'

/** `objective`: what the certificate's bound is of; the makespan where absent. `columns`: width of the text's grid. */
export type OptimalOptions = {
  readonly host: Host
  readonly timeLimitMs: number
  readonly objective?: Objective
  readonly columns?: number
}

/**
 * Strength *optimal*: the schedule is legal for the problem that the certificate names, and each piece of evidence is
 * checked again by other means: named bounds worked out anew in integers, an UNSAT by its own text, a solver's bound by
 * another engine. Optimal iff what was confirmed reaches the makespan.
 * @throws FaultError when the document is about another instance
 */
export async function proveOptimal(
  measured: Measured,
  document: ScheduleDocument,
  certificate: Certificate,
  options: OptimalOptions
): Promise<Proof> {
  const { objective = 'makespan' } = options
  const legality = legalityIn(measured, document, certificate.problem, options.columns)
  const strength = 'optimal'
  if (!legality.document.legal) return { ...legality, document: { ...legality.document, strength } }
  const of: Case = { ...options, measured, problem: certificate.problem, objective }
  const checks = certificate.instance === measured.hash ? await recheckEvidence(of, certificate.evidence) : []
  const value = objective === 'spill' ? largestSpill(measured, document) : document.makespan
  const verdict = verdictOf(value, certificate, checks)
  const optimal = { ...verdict, makespan: document.makespan, ...(objective === 'spill' ? { value } : {}) }
  return {
    document: { ...legality.document, strength, optimal, certificate: certificateDocument(certificate) },
    text: `${legality.text}${optimalText(optimal, certificate, measured)}`
  }
}

/** Whether a schedule is legal, and one of those that the problem searches. */
function legalityIn(
  measured: Measured,
  document: ScheduleDocument,
  problem: Certificate['problem'],
  columns: number | undefined
): Proof {
  const fixed = fixedBody(measured, document, problem)
  const legality = proveSchedule(measured, document, fixed ? { bodyFixed: fixed } : {}, columns)
  if (problem !== 'owner' || !legality.document.legal) return legality
  return proofOf(document, ownerShapeViolations(measured, document), columns)
}

/** The body order that the problem leaves a schedule: that of the skeleton, under `reorder` for the microbatches as they enter. */
function fixedBody(
  measured: Measured,
  document: ScheduleDocument,
  problem: Certificate['problem']
): BodyOrder | undefined {
  switch (problem) {
    case 'placement':
    case 'owner':
      return bodyOrder(measured)
    case 'reorder':
      return withInjection(bodyOrder(measured), injectionOf(document))
    case 'joint':
      return undefined
  }
}

/** max_r spill_r of a schedule (paper section 4.3). */
function largestSpill(measured: Measured, document: ScheduleDocument): Tick {
  const { task } = strategyOf(measured, { problem: 'owner', objective: 'spill' })
  return task.objectiveOf?.(fromDocument(task.problem, document)) ?? 0
}

/** `value`: what was minimised. */
function verdictOf(
  value: Tick,
  certificate: Certificate,
  checks: readonly EvidenceCheck[]
): Omit<OptimalityDocument, 'makespan' | 'value'> {
  const confirmed = maximum(checks.filter(check => check.status === 'confirmed').map(check => check.ticks))
  const contradicted = checks.some(check => check.status === 'contradicted')
  // What is stated but cannot be true: evidence that does not hold, or a bound above what a legal schedule reaches.
  const impossible = Math.max(confirmed, certificate.lowerBound) > value
  const refuted = impossible || (confirmed < certificate.lowerBound && contradicted)
  return {
    status: refuted ? 'refuted' : confirmed === value ? 'proved' : 'undecided',
    lowerBound: confirmed,
    checks: checks.map(({ evidence, status, by, detail }) => ({
      evidence,
      confirmed: status === 'confirmed',
      by,
      detail
    }))
  }
}

function optimalText(optimal: OptimalityDocument, certificate: Certificate, scale: Scale): string {
  const time = (ticks: Tick) => timeText(ticks, scale)
  const { status, makespan, value, lowerBound, checks } = optimal
  const [what, reached] = value === undefined ? (['makespan', makespan] as const) : (['spill', value] as const)
  const less = value === undefined ? `takes less than ${time(makespan)}` : `spills less than ${time(value)}`
  const head = {
    proved: `optimal for ${certificate.problem}: no legal schedule ${less}`,
    refuted: `the certificate does not hold: it states ${time(certificate.lowerBound)}, ${time(lowerBound)} was confirmed`,
    undecided: `not proved optimal: ${what} ${time(reached)}, confirmed lower bound ${time(lowerBound)}`
  }[status]
  const rows = checks.map(
    check =>
      `  ${check.confirmed ? 'confirmed' : 'not confirmed'}: ${check.evidence}, by ${check.by || 'nothing'}: ${check.detail}`
  )
  return `${[head, ...(rows.length > 0 ? rows : ['  the certificate holds no evidence about this instance'])].join('\n')}\n`
}
