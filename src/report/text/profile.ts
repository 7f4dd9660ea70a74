import { grid, wrap } from './columns.ts'
import type { Style } from './style.ts'

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
  const title = `${document.name}: ${document.ranks} ranks, ${document.microbatches} microbatches, ${document.schedule}\n`
  const notes = view.notes.map(note => `${wrap(note, style.columns, '    ', '  ')}\n`).join('')
  const assumed = view.assumptions.map(one => [one.field, String(one.value), one.why])
  const rest = `\nAssumed\n${grid(['what', 'value', 'why'], assumed)}${notes ? `\nNotes\n${notes}` : ''}`
  if (!statistics) return `${title}${rest}`
  const rows = statistics.stages.map(one => [
    one.kind,
    one.stage < 0 ? '' : String(one.stage),
    one.median.toFixed(1),
    `${(100 * one.spread).toFixed(1)} %`,
    String(one.count)
  ])
  const table = grid(['kind', 'stage', 'median/us', 'spread', 'measured'], rows, [
    'left',
    'right',
    'right',
    'right',
    'right'
  ])
  const warm = statistics.warmup.map(
    one => `  step ${one.step} left out as warm-up (${one.ratio.toFixed(2)}x the usual time)\n`
  )
  const far = statistics.outliers
    .slice(0, 20)
    .map(
      one =>
        `  outlier left out: ${one.span.from}, step ${one.span.step}: ${one.span.us.toFixed(1)} us, median ${one.median.toFixed(1)}\n`
    )
  const more = statistics.outliers.length > 20 ? `  and ${statistics.outliers.length - 20} more outliers\n` : ''
  return `${title}\n${table}  spread: (largest - smallest) / median over microbatches and steps\n${warm.join('')}${far.join('')}${more}${rest}`
}
