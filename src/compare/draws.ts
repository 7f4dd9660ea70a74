import { groupBy, maximum, range, sum } from '../base/arrays.ts'
import { indexEvents } from '../schedule/body.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import { toDocument } from '../schedule/document.ts'
import { problemOfDocument } from '../schedule/document-problem.ts'
import { evaluate } from '../schedule/evaluate.ts'
import type { Family } from '../schedule/family.ts'
import type { Measured, Tick } from '../schedule/measured.ts'
import type { Problem, Sequences } from '../schedule/problem.ts'
import { verify } from '../verify/verify.ts'
import { type Comparison, compareFamilies } from './compare.ts'

/** What one way to schedule costs over many draws, in ticks. p95 is the smallest value that 95 % do not exceed. */
export type DrawRow = {
  readonly name: string
  readonly mean: Tick
  readonly p95: Tick
  readonly worst: Tick
  /** Mean of (makespan - optimum of that draw) / makespan, where both are known. */
  readonly loss?: number
  /** Draws in which it gave a legal schedule. */
  readonly legal: number
}

/** `tropipe.draws/1`. */
export type DrawComparison = {
  readonly format: 'tropipe.draws/1'
  readonly name: string
  readonly P: number
  readonly M: number
  readonly unit: string
  readonly ticksPerUnit: number
  readonly draws: number
  readonly groups: number
  readonly rows: readonly DrawRow[]
  /** Re-solved for each draw with full knowledge of it; `proved` of them are optimal. */
  readonly clairvoyant?: DrawRow & { readonly proved: number }
  readonly notes: readonly string[]
}

/** A random step: one instance per data-parallel group, the heaviest first. */
export type DrawnStep = { readonly seed: number; readonly groups: readonly Measured[] }

/** What is asked of a searched optimum. */
export type Solved = { readonly makespan: Tick; readonly proved: boolean; readonly document: ScheduleDocument }

/**
 * Every family on every draw (the slowest data-parallel group counts), the optimum re-solved per draw, and the schedule
 * that was solved for the first draw used unchanged in all others: what a static schedule gives away.
 */
export async function compareDraws(
  draws: readonly DrawnStep[],
  families: readonly Family[],
  solve?: (measured: Measured) => Promise<Solved | undefined>
): Promise<DrawComparison> {
  const [first] = draws[0].groups
  const best: (Solved | undefined)[] = []
  if (solve) for (const draw of draws) best.push(await solve(draw.groups[0]))
  const optimum = draws.map((_, index) => best[index]?.makespan)
  const comparisons = draws.map(draw => draw.groups.map(group => compareFamilies(group, { families })))
  const rows = families.flatMap(family => {
    const values = comparisons.map(groups => {
      const found = groups.map(one => one.rows.find(row => row.family === family.id && row.legal)?.makespan)
      return found.every(value => value !== undefined) ? maximum(found) : undefined
    })
    return rowOf(family.id, values, optimum)
  })
  const plan = best[0]
  if (plan)
    rows.unshift(
      ...rowOf(
        'static',
        draws.map(draw => staticMakespan(first, plan.document, draw)),
        optimum
      )
    )
  const clairvoyant = solve ? rowOf('optimum', optimum, optimum)[0] : undefined
  return {
    format: 'tropipe.draws/1',
    name: first.name,
    P: first.ranks,
    M: first.microbatches,
    unit: first.unit,
    ticksPerUnit: first.ticksPerUnit,
    draws: draws.length,
    groups: draws[0].groups.length,
    rows,
    ...(clairvoyant ? { clairvoyant: { ...clairvoyant, proved: best.filter(one => one?.proved).length } } : {}),
    notes: [...notesOf(draws, solve !== undefined), ...absentNotes(families, comparisons)]
  }
}

/** Families that gave no row: illegal everywhere, with the rules broken, or not applicable. */
function absentNotes(families: readonly Family[], comparisons: readonly (readonly Comparison[])[]): string[] {
  const never = families.flatMap(({ id }) => {
    const rows = comparisons.flat().flatMap(one => one.rows.filter(row => row.family === id))
    if (rows.length === 0 || rows.some(row => row.legal)) return []
    return [{ id, codes: [...new Set(rows.flatMap(row => row.violations))].join(', ') }]
  })
  return [...groupBy(never, ({ codes }) => codes)].map(
    ([codes, same]) => `legal in no draw (${codes}): ${same.map(({ id }) => id).join(', ')}`
  )
}

function notesOf(draws: readonly DrawnStep[], solved: boolean): string[] {
  return [
    ...(solved ? ['static: the schedule solved for the first draw, its order kept in every other draw'] : []),
    ...(solved && draws[0].groups.length > 1
      ? [
          'the optimum is searched for the data-parallel group with most encoder work; all others count the slowest group'
        ]
      : [])
  ]
}

function rowOf(
  name: string,
  values: readonly (number | undefined)[],
  optimum: readonly (number | undefined)[]
): DrawRow[] {
  const known = values.filter(value => value !== undefined)
  if (known.length === 0) return []
  const sorted = [...known].sort((a, b) => a - b)
  const losses = values.flatMap((value, index) => {
    const best = optimum[index]
    return value === undefined || best === undefined || value === 0 ? [] : [(value - best) / value]
  })
  return [
    {
      name,
      mean: sum(known) / known.length,
      p95: sorted[Math.ceil(0.95 * sorted.length) - 1],
      worst: sorted[sorted.length - 1],
      ...(losses.length > 0 ? { loss: sum(losses) / losses.length } : {}),
      legal: known.length
    }
  ]
}

/** The slowest group under an order that was made for another instance; undefined where it is not legal there. */
function staticMakespan(planned: Measured, document: ScheduleDocument, draw: DrawnStep): Tick | undefined {
  const ends = draw.groups.map(group => {
    const problem = problemOfDocument(group, document)
    const evaluation = evaluate(problem, transferred(problem, document, planned))
    if (evaluation.kind === 'cycle') return undefined
    const schedule = toDocument(problem, evaluation.schedule)
    return verify(group, schedule).legal ? schedule.makespan : undefined
  })
  return ends.every(end => end !== undefined) ? maximum(ends) : undefined
}

/**
 * The order of a document on another instance of the same size. Encoder work that this instance does not have is left
 * out; work that only this one has comes first on rank m mod P (its backward last).
 */
export function transferred(problem: Problem, document: ScheduleDocument, planned: Measured): Sequences {
  const index = indexEvents(problem)
  const orders = document.ranks.map(events =>
    events.flatMap(
      ({ kind, stage = -1, microbatch, item, chunk }) => index.find(kind, stage, microbatch, item, chunk) ?? []
    )
  )
  const placed = new Set(orders.flat())
  const missing = (kind: 'E' | 'EB', rank: number) =>
    range(planned.microbatches)
      .filter(m => m % planned.ranks === rank)
      .flatMap(m => index.encodes(kind, m))
      .filter(id => !placed.has(id))
  return orders.map((order, rank) => [...missing('E', rank), ...order, ...missing('EB', rank)])
}
