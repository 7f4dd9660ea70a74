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

/** A schedule that is there when it is asked for; large ones are then made again rather than all kept at once. */
export type ScheduleSketch = {
  readonly id: string
  readonly title: string
  readonly events: number
  readonly makespan: Tick
  readonly schedule: () => RowSchedule
}

/** A comparison with a way to each of its schedules. */
export type Sketched = { readonly comparison: Comparison; readonly sketches: readonly ScheduleSketch[] }

/** Evaluates and verifies every family on an instance, against the baseline and the optimum. */
export function compareFamilies(measured: Measured, options: CompareOptions = {}): Comparison {
  return compareSketches(measured, options).comparison
}

/** As `compareFamilies`, and keeps the schedules. */
export function compareSchedules(measured: Measured, options: CompareOptions = {}): Compared {
  const { comparison, sketches } = compareSketches(measured, options, true)
  return { comparison, schedules: sketches.map(({ schedule }) => schedule()) }
}

/** As `compareFamilies`, with a way to the schedules; unless they are kept, each is made again when it is asked for. */
export function compareSketches(measured: Measured, options: CompareOptions = {}, keep = false): Sketched {
  const { families = FAMILIES, optimum } = options
  const assessed = families.map(family => assess(family, measured, keep))
  const plain = assessed.flatMap(one => ('row' in one ? [one.row] : []))
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
    notApplicable: assessed.flatMap(one => ('reason' in one ? [{ family: one.family, reason: one.reason }] : [])),
    baseline: plain.length > 0 ? baselineOf(plain, options.baseline).family : 'none',
    ...(optimum ? { optimum: optimumOf(optimum, best) } : {}),
    contradictions: optimum ? contradictions(plain, optimum) : []
  }
  const sketches = assessed.flatMap(one => ('row' in one ? [one.sketch] : []))
  return { comparison, sketches: best ? [...sketches, sketchOf(best, () => best)] : sketches }
}

type Assessed =
  | { readonly row: Row; readonly sketch: ScheduleSketch }
  | { readonly family: string; readonly reason: string }

/** One family's row. The schedule itself is let go of unless it is to be kept. */
function assess(family: Family, measured: Measured, keep: boolean): Assessed {
  const order = family.apply(measured)
  if (order.kind === 'not-applicable') return { family: family.id, reason: order.reason }
  const timed = timeOrder(family, order, measured)
  const again = () => timeOrder(family, family.apply(measured) as typeof order, measured)
  return {
    row: rowOf(family, timed, changesOf(measured, order)),
    sketch: keep ? sketchOf(timed, () => timed) : sketchOf(timed, again)
  }
}

function sketchOf({ id, title, document }: RowSchedule, schedule: () => RowSchedule): ScheduleSketch {
  const events = document.ranks.reduce((total, list) => total + list.length, 0)
  return { id, title, events, makespan: document.makespan, schedule }
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
