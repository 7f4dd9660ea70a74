import { printSchedule } from '../algebra/notation.ts'
import { groupBy, sum } from '../base/arrays.ts'
import type { Front } from '../optimize/pareto.ts'
import { NOT_USED, type SolveResult } from '../optimize/types.ts'
import type { CrossCheckView } from '../report/text/cross-check.ts'
import type { FrontView } from '../report/text/front.ts'
import { rankUses } from '../report/text/rank-table.ts'
import type { ProofView, ResultView } from '../report/text/result.ts'
import type { BoundTerm, Evidence } from '../schedule/certificate.ts'
import { problemOfDocument } from '../schedule/document-problem.ts'
import { peakBytes } from '../schedule/memory.ts'
import { digits, type Scale, timeText, timeUnit } from '../schedule/quantities.ts'

/** A solve's result as the text report wants it. */
export function resultView(result: SolveResult): ResultView {
  const { instance: measured, answer } = result
  const { lowerBound, evidence } = answer.certificate
  return {
    unit: measured.unit,
    ticksPerUnit: measured.ticksPerUnit,
    name: measured.name,
    schedule: printSchedule(measured.regions.map(region => region.skeleton)),
    P: measured.ranks,
    M: measured.microbatches,
    problem: result.problem,
    objective: result.objective,
    status: answer.status,
    lowerBound,
    ...(answer.status === 'infeasible' ? { reason: `${answer.reason.message}. ${answer.reason.advice}` } : {}),
    ...pointOf(result),
    proofs: proofsOf(evidence, measured),
    foundBy: foundBy(result),
    ...hintOf(result),
    crossCheck: crossCheckOf(result)
  }
}

function pointOf({ answer, objective, instance: measured, tieBreak }: SolveResult): Partial<ResultView> {
  if (!('point' in answer)) return {}
  const { document, makespan } = answer.point
  const { lowerBound } = answer.certificate
  const peaks = peakBytes(problemOfDocument(measured, document), answer.schedule)
  return {
    makespan,
    ...(objective === 'spill' ? { spill: answer.value } : {}),
    gap: answer.value === 0 ? 0 : (answer.value - lowerBound) / answer.value,
    ...(answer.status === 'feasible' && answer.claimedBound !== undefined ? { claimedBound: answer.claimedBound } : {}),
    document,
    ...(tieBreak ? { leastPeak: { bytes: tieBreak.peak, proved: tieBreak.proved } } : {}),
    ranks: rankUses(document, peaks, measured.capacity)
  }
}

/** A front as the text report wants it. */
export function frontView({ points, complete, end }: Front, scale: Scale): FrontView {
  return {
    unit: scale.unit,
    ticksPerUnit: scale.ticksPerUnit,
    points: points.map(({ peak, makespan, answer }) => {
      const { lowerBound, evidence } = answer.certificate
      const [proof] = proofsOf(evidence, scale)
      return { peak, makespan, lowerBound, status: answer.status, ...(proof ? { proof: proof.by } : {}) }
    }),
    complete,
    ...(end ? { end: end.message } : {})
  }
}

/** Pieces of evidence in words; runs that say the same are one piece. */
function proofsOf(evidence: readonly Evidence[], scale: Scale): ProofView[] {
  const pieces = groupBy(
    evidence.map(item => proofOf(item, scale)),
    ({ by, detail }) => `${by}: ${detail}`
  )
  return [...pieces.values()].map(same => {
    const [first] = same
    return same.length === 1 ? first : { ...first, by: `${first.by} in ${same.length} runs` }
  })
}

/** One piece of evidence in words. */
function proofOf(evidence: Evidence, scale: Scale): ProofView {
  switch (evidence.kind) {
    case 'bound':
      return { by: `the ${evidence.name} bound`, detail: termsText(evidence.terms, scale) }
    case 'smt-unsat': {
      const engines = evidence.engines.map(engine => `${engine.name} ${engine.version}`).join(' and ')
      return { by: engines, detail: `no schedule of ${timeText(evidence.at, scale)} or less exists (unsatisfiable)` }
    }
    case 'solver-bound': {
      const confirmed = evidence.confirmedBy.map(item => proofOf(item, scale).by).join(' and ')
      return {
        by: `${evidence.engine.name} ${evidence.engine.version}${confirmed ? `, confirmed by ${confirmed}` : ''}`
      }
    }
  }
}

/** Kinds of terms that are written out. */
const MAX_TERMS = 6

/** Terms with the same word summed, in one unit: `E = 6, 9 F = 90, 12 lag = 12 us`. */
function termsText(terms: readonly BoundTerm[], scale: Scale): string {
  const sums = new Map<string, { count: number; ticks: number }>()
  for (const { label, ticks } of terms) {
    const word = label.replace(/\s*\(.*/, '')
    const known = sums.get(word) ?? { count: 0, ticks: 0 }
    sums.set(word, { count: known.count + 1, ticks: known.ticks + ticks })
  }
  const unit = timeUnit(sum(terms.map(term => term.ticks)), scale)
  const parts = [...sums].map(
    ([word, { count, ticks }]) => `${count > 1 ? `${count} ` : ''}${word} = ${digits(ticks * unit.perTick)}`
  )
  const more = parts.length > MAX_TERMS ? `, and ${parts.length - MAX_TERMS} more terms` : ''
  return `${parts.slice(0, MAX_TERMS).join(', ')} ${unit.name}${more}`
}

function foundBy({ answer, solver, attempts }: SolveResult): string {
  const done = attempts.filter(({ result }) => !result.startsWith(NOT_USED)).map(({ by }) => by)
  // Variants of one rule are told by a number, or after a comma.
  const others = new Set(done.filter(by => by !== solver.name).map(by => by.replace(/ \d+$|, .*$/, '')))
  const tried = others.size > 0 ? [`tried: ${[...others].join(', ')}`] : []
  const found = 'point' in answer ? [solver.version === '' ? solver.name : `${solver.name} ${solver.version}`] : []
  const run = `${digits(Math.round(solver.wallMs) / 1000)} s in all, seed ${solver.seed}`
  return [...found, run, ...tried].join('; ')
}

/** One line where an engine that is not installed might have closed the gap. */
function hintOf({ answer, attempts }: SolveResult): Pick<ResultView, 'hint'> {
  const absent = attempts.find(({ by, result }) => by === 'cpsat' && result.includes('is not installed'))
  if (!absent || answer.status === 'optimal' || answer.status === 'infeasible') return {}
  return { hint: 'CP-SAT is not installed, and often closes such a gap: npm i or-tools-wasm' }
}

function crossCheckOf({ crossCheck, answer, objective, instance }: SolveResult): CrossCheckView {
  const minimised = objective === 'makespan'
  const proved = answer.status === 'optimal' && minimised
  if (!('closedForm' in crossCheck)) return { why: crossCheck.why, holds: crossCheck.holds, minimised, proved: false }
  const { closedForm, optimum, holds } = crossCheck
  const apart = instance.communication.model === 'latency' ? 'memory' : 'transfers'
  return {
    closedForm,
    ...(closedForm.exactLegal ? {} : { apart }),
    holds,
    minimised,
    proved,
    ...(optimum === undefined ? {} : { optimum })
  }
}
