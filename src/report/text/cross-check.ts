import { line, wrap } from '../../base/wrap.ts'
import { type Scale, showPercent, timeColumn } from '../../schedule/quantities.ts'
import { bindingText, type FormView } from './closed-form.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** The closed form of `transpose-full` beside the optimum, in ticks (spec algebra section 2). */
export type CrossCheckView = {
  /** Why there is no closed form, where there is none. */
  readonly why?: string
  readonly closedForm?: FormView
  /** What keeps the derived order from being one of those searched: it needs more memory, or its transfers are latencies only. */
  readonly apart?: 'memory' | 'transfers'
  readonly optimum?: number
  /** Whether the optimum is a makespan that was minimised, so that the derived order bounds it. */
  readonly minimised: boolean
  readonly holds: boolean | 'not-applicable'
  /** Whether `optimum` is proved, or only the best schedule found. */
  readonly proved: boolean
}

const APART: Readonly<Record<NonNullable<CrossCheckView['apart']>, string>> = {
  memory: 'this order exceeds memory',
  transfers: 'transfers are latencies here, in the instance they also keep links or ranks busy'
}

/** The sum from the paper's formula to the exact makespan to the optimum, a sentence for each line. */
export function crossCheckText(view: CrossCheckView, scale: Scale, style: Style): string {
  const form = view.closedForm
  if (!form)
    return `Closed form\n${wrap(`does not apply: ${view.why ?? 'no transposed source'}`, style.columns, '  ')}\n`
  const lines = linesOf(view, form)
  const { unit, cells } = timeColumn(
    lines.map(one => one.ticks),
    scale
  )
  const rows = lines.map(({ name, text }, index) => [name, cells[index], text])
  const table = grid(['', unit, ''], rows, style, ['left', 'right', 'left'])
  const against = view.optimum === undefined ? '' : ` against the ${view.proved ? 'optimum' : 'best found'}`
  return `${line(`Closed form of transpose-full${against}`, style.columns)}${table}${wrap(verdictText(view), style.columns, '  ')}\n`
}

type Line = { readonly name: string; readonly ticks: number; readonly text: string }

function linesOf(view: CrossCheckView, form: FormView): Line[] {
  const parts: readonly Line[] = [
    {
      name: '- absorbed',
      ticks: form.absorbed,
      text: 'spill on ranks that are not the bottleneck costs less than the formula charges'
    },
    {
      name: '+ arrival',
      ticks: form.arrival,
      text: 'the first stage waits for encodes and their transfer even where nothing spills'
    },
    {
      name: '+ drain',
      ticks: form.drain,
      text: 'encoder backwards, their transfer and the replica reduction lengthen the end of the step'
    }
  ]
  const zero = parts.filter(part => part.ticks === 0).map(part => part.name.slice(2))
  const lines: Line[] = [
    {
      name: 'paper',
      ticks: form.paper,
      text: 'backbone alone plus the largest encoder spill, the formula of the paper'
    },
    ...parts.filter(part => part.ticks !== 0),
    {
      name: '= exact',
      ticks: form.exact,
      text: [
        `longest path of the derived order; bound by: ${bindingText(form.binding)}`,
        ...(zero.length > 0 ? [`${zero.join(', ')}: 0`] : []),
        ...(view.apart ? [APART[view.apart]] : [])
      ].join('; ')
    }
  ]
  if (view.optimum === undefined) return lines
  const saved = form.exact === 0 ? 0 : (form.exact - view.optimum) / form.exact
  const text =
    saved > 0
      ? `the searched schedule is ${showPercent(saved)} shorter than the derived one`
      : saved === 0
        ? view.proved && view.apart === undefined
          ? 'the derived order is optimal already'
          : 'the searched schedule is as long as the derived one'
        : `the searched schedule is ${showPercent(-saved)} longer than the derived one`
  return [...lines, { name: view.proved ? 'optimum' : 'best found', ticks: view.optimum, text }]
}

function verdictText({ holds, closedForm, optimum, apart, minimised }: CrossCheckView): string {
  if (holds === false) return 'CHECK FAILED: a proved optimum lies above a legal derived order. Please report this.'
  const ordered = optimum !== undefined && optimum <= (closedForm?.exact ?? 0) && apart === undefined && minimised
  return ordered
    ? 'Check passed: the searched schedule is not longer than the exact closed form allows.'
    : 'Check passed: exact = paper - absorbed + arrival + drain, and the lower bound is not above it.'
}
