import { FAMILIES } from '../heuristics/index.ts'
import { buildProblem } from '../schedule/build.ts'
import { type ClosedForm, closedForm } from '../schedule/closed-form.ts'
import { fromDocument, type ScheduleDocument, toDocument } from '../schedule/document.ts'
import { evaluate } from '../schedule/evaluate.ts'
import type { Family, FamilyOrder } from '../schedule/family.ts'
import type { Byte, Measured, Tick } from '../schedule/measured.ts'
import { peakBytes } from '../schedule/memory.ts'
import { bubbleRatio, peakInFlight } from '../schedule/metrics.ts'
import type { Problem, Schedule } from '../schedule/problem.ts'
import { verify } from '../verify/verify.ts'

/** What one schedule costs; byte and in-flight lists have one entry per rank. */
export type Metrics = {
  readonly makespan: Tick
  /** Idle time / (P * makespan). */
  readonly bubbleRatio: number
  readonly peakMemory: readonly Byte[]
  readonly inFlight: readonly number[]
}

/** One family on one instance. */
export type Row = Metrics & {
  readonly family: string
  readonly title: string
  /** Makespan of the baseline / makespan of this family; absent where the baseline has no row. */
  readonly speedup?: number
  /** (makespan - makespan of the optimum) / makespan; absent without one. Only legal rows have it. */
  readonly gapToOptimum?: number
  readonly legal: boolean
  /** Codes of the rules that it breaks, each once. */
  readonly violations: readonly string[]
  /** For transpose families on instances with a backbone. */
  readonly closedForm?: ClosedForm
}

/** What is known of the best possible schedule. */
export type Optimum = {
  readonly status: 'optimal' | 'feasible' | 'infeasible' | 'unknown'
  readonly makespan?: Tick
  readonly lowerBound: Tick
  readonly problem: string
}

/** `tropipe.comparison/1`. */
export type Comparison = {
  readonly format: 'tropipe.comparison/1'
  readonly name: string
  readonly instance: string
  readonly P: number
  readonly M: number
  readonly unit: string
  readonly ticksPerUnit: number
  readonly rows: readonly Row[]
  readonly notApplicable: readonly { readonly family: string; readonly reason: string }[]
  readonly baseline: string
  readonly optimum?: Optimum & Partial<Metrics>
  /** Relations that theory demands and this comparison breaks; always empty unless the tool is wrong. */
  readonly contradictions: readonly string[]
}

/** The families to compare, what they are measured against, and the optimum where one was searched. */
export type CompareOptions = {
  readonly families?: readonly Family[]
  /** Id of the family that speedups refer to; the first one with a row where it has none. */
  readonly baseline?: string
  readonly optimum?: Optimum & { readonly schedule?: ScheduleDocument }
}

/** Evaluates and verifies every family on an instance, against the baseline and the optimum. */
export function compareFamilies(measured: Measured, options: CompareOptions = {}): Comparison {
  const { families = FAMILIES, optimum } = options
  const applied = families.map(family => ({ family, order: family.apply(measured) }))
  const plain = applied.flatMap(({ family, order }) => (order.kind === 'order' ? [rowOf(family, order)] : []))
  const base = plain.find(row => row.family === options.baseline) ?? plain[0]
  return {
    format: 'tropipe.comparison/1',
    name: measured.name,
    instance: measured.hash,
    P: measured.ranks,
    M: measured.microbatches,
    unit: measured.unit,
    ticksPerUnit: measured.ticksPerUnit,
    rows: plain.map(row => relate(row, base, optimum)),
    notApplicable: applied.flatMap(({ family, order }) =>
      order.kind === 'not-applicable' ? [{ family: family.id, reason: order.reason }] : []
    ),
    baseline: base?.family ?? 'none',
    ...(optimum ? { optimum: optimumOf(optimum, measured) } : {}),
    contradictions: optimum ? contradictions(plain, optimum) : []
  }
}

/** Families whose orders every searched set contains: they keep the body order and only place encoder work. */
function isSearched(row: Row): boolean {
  return row.family.startsWith('transpose-')
}

/** optimum <= every legal heuristic of its problem; lowerBound <= every legal makespan of it. */
function contradictions(rows: readonly Row[], optimum: Optimum): string[] {
  const legal = rows.filter(row => row.legal && isSearched(row) && optimum.problem !== 'owner')
  return legal.flatMap(row => [
    ...(row.makespan < optimum.lowerBound ? [`${row.family} is legal and below the lower bound`] : []),
    ...(optimum.status === 'optimal' && row.makespan < (optimum.makespan ?? 0)
      ? [`${row.family} is legal and below the optimum`]
      : [])
  ])
}

function rowOf(family: Family, order: Extract<FamilyOrder, { kind: 'order' }>): Row {
  const { problem, sequences } = order
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') throw new Error(`the order of ${family.id} has a cycle`)
  const document = toDocument(problem, evaluation.schedule)
  const verdict = verify(order.measured, document)
  const form = family.id.startsWith('transpose-') ? closedForm(problem, sequences) : undefined
  return {
    family: family.id,
    title: family.title,
    ...metricsOf(problem, evaluation.schedule, document),
    legal: verdict.legal,
    violations: verdict.legal ? [] : [...new Set(verdict.violations.map(violation => violation.code))],
    ...(form ? { closedForm: form } : {})
  }
}

function metricsOf(problem: Problem, schedule: Schedule, document: ScheduleDocument): Metrics {
  return {
    makespan: document.makespan,
    bubbleRatio: bubbleRatio(document),
    peakMemory: peakBytes(problem, schedule),
    inFlight: document.ranks.map(peakInFlight)
  }
}

function relate(row: Row, base: Row, optimum: Optimum | undefined): Row {
  const speedup = row.makespan === 0 ? 1 : base.makespan / row.makespan
  const best = optimum?.makespan
  if (best === undefined || !row.legal) return { ...row, speedup }
  return { ...row, speedup, gapToOptimum: row.makespan === 0 ? 0 : (row.makespan - best) / row.makespan }
}

function optimumOf(
  optimum: NonNullable<CompareOptions['optimum']>,
  measured: Measured
): NonNullable<Comparison['optimum']> {
  const { schedule: document, ...known } = optimum
  if (!document) return known
  const problem = buildProblem(measured, { split: usesSplit(document) })
  return { ...known, ...metricsOf(problem, fromDocument(problem, document), document) }
}

function usesSplit(document: ScheduleDocument): boolean {
  return document.ranks.some(events => events.some(event => event.kind === 'I'))
}
