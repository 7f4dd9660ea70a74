import { FaultError } from '../base/fault.ts'
import { FAMILIES } from '../heuristics/index.ts'
import type { Host } from '../host/port.ts'
import { optimize } from '../optimize/optimize.ts'
import { bodyOrder } from '../schedule/body.ts'
import { toDocument } from '../schedule/document.ts'
import { evaluate } from '../schedule/evaluate.ts'
import type { ForeignOrder } from '../schedule/foreign.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import type { Problem, Sequences } from '../schedule/problem.ts'
import { type Scale, timeText } from '../schedule/quantities.ts'
import { verify } from '../verify/verify.ts'
import { timeOrder } from './listed-times.ts'
import type { TimingDocument } from './proof.ts'

/** Longest time, in milliseconds, that an improvement is searched for. */
const IMPROVE_MS = 10_000

/**
 * Times an order on an instance as early as it can, has it checked, sets it beside the families, and looks for a shorter
 * schedule: with its body where that is the instance's own, else with any.
 * @throws FaultError when the order is none of the instance's
 */
export async function timeOnInstance(
  order: ForeignOrder,
  measured: Measured,
  options: { readonly host?: Host; readonly timeLimitMs?: number }
): Promise<TimingDocument> {
  const timed = timeOrder(measured, order)
  if (!timed.ok) throw new FaultError(timed.faults)
  const { document } = timed
  const verdict = verify(measured, document)
  const keepsBody = verify(measured, document, { bodyFixed: bodyOrder(measured) }).legal
  const { host, timeLimitMs = IMPROVE_MS } = options
  const searched = keepsBody || !measured.overlap
  const improved =
    host &&
    searched &&
    (await improve(measured, keepsBody ? 'placement' : 'joint', host, Math.min(timeLimitMs, IMPROVE_MS)))
  return {
    makespan: document.makespan,
    violations: verdict.legal ? [] : verdict.violations,
    families: familyRows(measured),
    ...(improved && improved.makespan < document.makespan ? { improved } : {})
  }
}

function familyRows(measured: Measured): TimingDocument['families'] {
  return FAMILIES.flatMap(family => {
    const applied = family.apply(measured)
    if (applied.kind !== 'order') return []
    const makespan = makespanOf(applied.problem, applied.sequences)
    if (makespan === undefined) return []
    return [{ family: family.id, makespan: makespan.ticks, legal: verify(applied.measured, makespan.document).legal }]
  })
}

function makespanOf(problem: Problem, sequences: Sequences) {
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') return undefined
  return { ticks: evaluation.schedule.makespan, document: toDocument(problem, evaluation.schedule) }
}

async function improve(
  measured: Measured,
  problem: 'placement' | 'joint',
  host: Host,
  timeLimitMs: number
): Promise<TimingDocument['improved']> {
  const { answer } = await optimize(measured, { problem, timeLimitMs }, host)
  if (answer.status !== 'optimal' && answer.status !== 'feasible') return undefined
  const { makespan, document } = answer.point
  return { problem, status: answer.status, makespan, lowerBound: answer.certificate.lowerBound, schedule: document }
}

/** The timing in a few lines. */
export function timingText({ makespan, families, improved, violations }: TimingDocument, scale: Scale): string {
  const time = (ticks: Tick) => timeText(ticks, scale)
  const rows = families.map(row => `  ${row.family}: ${time(row.makespan)}${row.legal ? '' : ' (not legal: memory)'}`)
  const better = improved
    ? `improved: ${time(improved.makespan)} (${improved.status} for ${improved.problem}, lower bound ${time(improved.lowerBound)})`
    : 'no shorter schedule was found'
  const faults = violations.map(({ code, message }) => `  ${code}: ${message}`)
  return `${[`on the instance: makespan ${time(makespan)}`, ...faults, 'families:', ...rows, better].join('\n')}\n`
}
