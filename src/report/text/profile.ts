import { line } from '../../base/wrap.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** What is told of a profile. Times are microseconds. */
export type ProfileView = {
  readonly document: {
    readonly name: string
    readonly ranks: number
    readonly microbatches: number
    readonly schedule: string
  }
  readonly statistics?: {
    readonly stages: readonly { kind: string; stage: number; median: number; spread: number; count: number }[]
    readonly outliers: readonly { span: { from: string; step: number; us: number }; median: number }[]
    readonly warmup: readonly { step: number; ratio: number }[]
    readonly steps: number
  }
  readonly assumptions: readonly { readonly field: string; readonly value: unknown; readonly why: string }[]
  readonly notes: readonly string[]
}

/** A profile for people: medians and spreads per stage, then what was left out and why. */
export function profileText(view: ProfileView, style: Style): string {
  const { document, statistics } = view
  const told = (text: string) => line(text, style.columns, '  ')
  const { name, ranks, microbatches, schedule } = document
  const title = line(`${name}  ${schedule}  ${ranks} ranks x ${microbatches} microbatches`, style.columns)
  const notes = view.notes.map(told).join('')
  const assumed = view.assumptions.map(one => [one.field, String(one.value), one.why])
  const rest = `\nAssumed\n${grid(['what', 'value', 'why'], assumed, style)}${notes ? `\nNotes\n${notes}` : ''}`
  if (!statistics) return `${title}${rest}`
  const rows = statistics.stages.map(one => [
    one.kind,
    one.stage < 0 ? '' : String(one.stage),
    one.median.toFixed(1),
    `${(100 * one.spread).toFixed(1)} %`,
    String(one.count)
  ])
  const table = grid(['kind', 'stage', 'median/us', 'spread', 'measured'], rows, style, [
    'left',
    'right',
    'right',
    'right',
    'right'
  ])
  const warm = statistics.warmup.map(one =>
    told(`step ${one.step} left out as warm-up (${one.ratio.toFixed(2)}x the usual time)`)
  )
  const far = statistics.outliers
    .slice(0, 20)
    .map(({ span, median }) =>
      told(
        `outlier left out: ${span.from}, step ${span.step}: ${span.us.toFixed(1)} us, median ${median.toFixed(1)} us`
      )
    )
  const more = statistics.outliers.length > 20 ? `  and ${statistics.outliers.length - 20} more outliers\n` : ''
  const spread = told('spread: (largest - smallest) / median over microbatches and steps')
  return `${title}\n${table}${spread}${warm.join('')}${far.join('')}${more}${rest}`
}
