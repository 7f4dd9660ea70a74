import { FAMILIES } from '../heuristics/index.ts'
import type { CertificateDocument } from '../optimize/document.ts'
import { type ClosedForm, closedForm } from '../schedule/closed-form.ts'
import { fromDocument, type ScheduleDocument, toDocument } from '../schedule/document.ts'
import { problemOfDocument } from '../schedule/document-problem.ts'
import { evaluate } from '../schedule/evaluate.ts'
import type { Family, FamilyOrder } from '../schedule/family.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import { latencyRelaxation } from '../schedule/relax.ts'
import { verify } from '../verify/verify.ts'
import { changesOf } from './changes.ts'
import { type Metrics, metricsOf, type TimedOrder } from './metrics.ts'

export type { Metrics } from './metrics.ts'

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
  /** What the family changes of the instance, and what it charges that the instance does not state, in words. */
  readonly notes: readonly string[]
  /** For transpose families on instances with a backbone. */
  readonly closedForm?: ClosedForm
}

/** What is known of the best possible schedule. */
export type Optimum = {
  readonly status: 'optimal' | 'feasible' | 'infeasible' | 'unknown'
  readonly makespan?: Tick
  readonly lowerBound: Tick
  readonly problem: string
  /** Why there is none, where that is known: what a user can act on. */
  readonly reason?: string
  /** What proves the bound, for readers to check again. */
  readonly certificate?: CertificateDocument
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
  /** Id of the family that speedups refer to. Where it has no row: inline, else 1f1b, else the first one with a row. */
  readonly baseline?: string
  readonly optimum?: Optimum & { readonly schedule?: ScheduleDocument }
}

/** The schedule of one row: a family's, or the best one found. */
export type RowSchedule = TimedOrder & { readonly id: string; readonly title: string }

/** A comparison with the schedules behind its rows, for pictures. */
export type Compared = { readonly comparison: Comparison; readonly schedules: readonly RowSchedule[] }

/** Evaluates and verifies every family on an instance, against the baseline and the optimum. */
export function compareFamilies(measured: Measured, options: CompareOptions = {}): Comparison {
  return compareSchedules(measured, options).comparison
}

/** As `compareFamilies`, and keeps the schedules. */
export function compareSchedules(measured: Measured, options: CompareOptions = {}): Compared {
  const { families = FAMILIES, optimum } = options
  const applied = families.map(family => ({ family, order: family.apply(measured) }))
  const timed = applied.flatMap(({ family, order }) =>
    order.kind === 'order'
      ? [{ family, schedule: timeOrder(family, order, measured), notes: changesOf(measured, order) }]
      : []
  )
  const plain = timed.map(({ family, schedule, notes }) => rowOf(family, schedule, notes))
  const best = optimum && bestSchedule(optimum, measured)
  const comparison: Comparison = {
    format: 'tropipe.comparison/1',
    name: measured.name,
    instance: measured.hash,
    P: measured.ranks,
    M: measured.microbatches,
    unit: measured.unit,
    ticksPerUnit: measured.ticksPerUnit,
    rows: plain.map(row => relate(row, baselineOf(plain, options.baseline), optimum)),
    notApplicable: applied.flatMap(({ family, order }) =>
      order.kind === 'not-applicable' ? [{ family: family.id, reason: order.reason }] : []
    ),
    baseline: plain.length > 0 ? baselineOf(plain, options.baseline).family : 'none',
    ...(optimum ? { optimum: optimumOf(optimum, best) } : {}),
    contradictions: optimum ? contradictions(plain, optimum) : []
  }
  return { comparison, schedules: [...timed.map(({ schedule }) => schedule), ...(best ? [best] : [])] }
}

/** The row that speedups refer to; where the instance states a best cut, not a baseline that ignores it. */
function baselineOf(rows: readonly Row[], wanted: string | undefined): Row {
  const named = (id: string | undefined) => rows.find(row => row.family === id)
  return named(wanted) ?? named('inline-best') ?? named('inline') ?? named('1f1b') ?? rows[0]
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

function timeOrder(family: Family, order: Extract<FamilyOrder, { kind: 'order' }>, instance: Measured): RowSchedule {
  const { measured, problem, sequences } = order
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') throw new Error(`the order of ${family.id} has a cycle`)
  const { schedule } = evaluation
  const document = toDocument(problem, schedule)
  return { id: family.id, title: family.title, instance, measured, problem, schedule, document }
}

function rowOf(family: Family, timed: RowSchedule, notes: readonly string[]): Row {
  const verdict = verify(timed.measured, timed.document)
  const form = family.id.startsWith('transpose-')
    ? closedForm(latencyRelaxation(timed.problem), timed.schedule.sequences)
    : undefined
  return {
    family: family.id,
    title: family.title,
    ...metricsOf(timed),
    legal: verdict.legal,
    violations: verdict.legal ? [] : [...new Set(verdict.violations.map(violation => violation.code))],
    notes,
    ...(form ? { closedForm: form } : {})
  }
}

function relate(row: Row, base: Row, optimum: Optimum | undefined): Row {
  const speedup = row.makespan === 0 ? 1 : base.makespan / row.makespan
  const best = optimum?.makespan
  if (best === undefined || !row.legal) return { ...row, speedup }
  return { ...row, speedup, gapToOptimum: row.makespan === 0 ? 0 : (row.makespan - best) / row.makespan }
}

/** The best schedule found, as one more row; `best` unless proved optimal. */
function bestSchedule(optimum: NonNullable<CompareOptions['optimum']>, measured: Measured): RowSchedule | undefined {
  const { schedule: document, status, problem: name } = optimum
  if (!document) return undefined
  const problem = problemOfDocument(measured, document)
  const schedule = fromDocument(problem, document)
  const [id, title] =
    status === 'optimal'
      ? ['optimum', `proved optimal for problem ${name}`]
      : ['best', `best found for problem ${name}`]
  return { id, title, instance: measured, measured, problem, schedule, document }
}

function optimumOf(
  optimum: NonNullable<CompareOptions['optimum']>,
  best: RowSchedule | undefined
): NonNullable<Comparison['optimum']> {
  const { schedule: _, ...known } = optimum
  return best ? { ...known, ...metricsOf(best) } : known
}
