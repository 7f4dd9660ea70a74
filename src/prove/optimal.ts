import { maximum } from '../base/arrays.ts'
import type { Host } from '../host/port.ts'
import { bodyOrder } from '../schedule/body.ts'
import type { Certificate } from '../schedule/certificate.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import type { Measured } from '../schedule/measured.ts'
import type { Case, EvidenceCheck } from './optimal/recheck.ts'
import { recheckEvidence } from './optimal/recheck.ts'
import type { OptimalityDocument } from './proof.ts'
import { type Proof, proveSchedule } from './schedule.ts'

export type OptimalOptions = { readonly host: Host; readonly timeLimitMs: number }

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
  const fixed = certificate.problem === 'placement' || certificate.problem === 'owner' ? bodyOrder(measured) : undefined
  const legality = proveSchedule(measured, document, fixed ? { bodyFixed: fixed } : {})
  const strength = 'optimal'
  if (!legality.document.legal) return { ...legality, document: { ...legality.document, strength } }
  const of: Case = { ...options, measured, problem: certificate.problem, bodyOrder: fixed }
  const checks = certificate.instance === measured.hash ? await recheckEvidence(of, certificate.evidence) : []
  const optimal = verdictOf(document.makespan, certificate, checks)
  return {
    document: { ...legality.document, strength, optimal, certificate },
    text: `${legality.text}${optimalText(optimal, certificate)}`
  }
}

function verdictOf(makespan: number, certificate: Certificate, checks: readonly EvidenceCheck[]): OptimalityDocument {
  const confirmed = maximum(checks.filter(check => check.status === 'confirmed').map(check => check.ticks))
  const contradicted = checks.some(check => check.status === 'contradicted')
  // What is stated but cannot be true: evidence that does not hold, or a bound above a legal makespan.
  const impossible = Math.max(confirmed, certificate.lowerBound) > makespan
  const refuted = impossible || (confirmed < certificate.lowerBound && contradicted)
  return {
    status: refuted ? 'refuted' : confirmed === makespan ? 'proved' : 'undecided',
    makespan,
    lowerBound: confirmed,
    checks: checks.map(({ evidence, status, by, detail }) => ({
      evidence,
      confirmed: status === 'confirmed',
      by,
      detail
    }))
  }
}

function optimalText(optimal: OptimalityDocument, certificate: Certificate): string {
  const { status, makespan, lowerBound, checks } = optimal
  const head = {
    proved: `optimal for ${certificate.problem}: no legal schedule takes less than ${makespan}`,
    refuted: `the certificate does not hold: it states ${certificate.lowerBound}, ${lowerBound} was confirmed`,
    undecided: `not proved optimal: makespan ${makespan}, confirmed lower bound ${lowerBound}`
  }[status]
  const rows = checks.map(
    check =>
      `  ${check.confirmed ? 'confirmed' : 'not confirmed'}: ${check.evidence}, by ${check.by || 'nothing'}: ${check.detail}`
  )
  return `${[head, ...(rows.length > 0 ? rows : ['  the certificate holds no evidence about this instance'])].join('\n')}\n`
}
