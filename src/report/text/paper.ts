import { line } from '../../base/wrap.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

type Row = {
  readonly reading: { readonly id: string; readonly title: string; readonly why: string; readonly baseline: string }
  readonly published: { readonly baseline: number; readonly transposed: number }
  readonly computed: { readonly baseline: number; readonly transposed: number }
  readonly policies: Readonly<Record<string, number>>
  readonly lowerBound: number
  readonly attribution: Readonly<
    Record<
      'freedStage' | 'encoderInBaseline' | 'body' | 'spill' | 'absorbed' | 'arrival' | 'drain' | 'hiddenEncoder',
      number
    >
  >
  readonly cause: string
}

/** The published table with its readings, attribution and sweep; times in seconds, attribution in microseconds. */
export type PaperView = {
  readonly source: string
  readonly assumed: readonly string[]
  readonly rows: readonly Row[]
  readonly sweep: readonly {
    readonly vary: string
    readonly value: number
    readonly baseline: number
    readonly transposed: number
    readonly greedy: number
    readonly lowerBound: number
  }[]
}

const RIGHT = 'right' as const
const two = (value: number) => value.toFixed(2)
const ratio = (a: number, b: number) => `${(a / b).toFixed(2)}x`

/** Published against computed, then why, then how it depends on scale, share and variance. */
export function paperText(view: PaperView, style: Style): string {
  const first = view.rows[0].reading
  const note = (text: string) => line(text, style.columns, '  ')
  return [
    line(`${view.source}: published against computed, seconds per step`, style.columns),
    '\n',
    publishedTable(view.rows, style),
    '\nWhere the gain comes from, seconds\n\n',
    attributionTable(view.rows, style),
    note('baseline - freed stage - encoder in baseline = body; body + spill - absorbed + arrival + drain = transposed'),
    '\nOther policies on the same readings, seconds\n\n',
    policyTable(view.rows, style),
    '\n',
    line(`Around ${first.id}: one size at a time, baseline ${first.baseline}`, style.columns),
    '\n',
    sweepTable(view.sweep, style),
    '\nReadings\n',
    ...view.rows.map(row => note(`${row.reading.id}: ${row.reading.title}; ${row.reading.why}`)),
    '\nAssumed\n',
    ...view.assumed.map(note)
  ].join('')
}

function publishedTable(rows: readonly Row[], style: Style): string {
  const cells = rows.map(({ reading, published, computed }) => [
    reading.id,
    two(published.baseline),
    two(computed.baseline),
    two(published.transposed),
    two(computed.transposed),
    ratio(published.baseline, published.transposed),
    ratio(computed.baseline, computed.transposed)
  ])
  const header = ['reading', 'baseline', 'computed', 'transposed', 'computed', 'speedup', 'computed']
  return grid(header, cells, style, ['left', RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT])
}

function attributionTable(rows: readonly Row[], style: Style): string {
  const s = (ticks: number) => two(ticks / 1e6)
  const cells = rows.map(({ reading, attribution: one, cause }) => [
    reading.id,
    s(one.freedStage),
    s(one.encoderInBaseline),
    s(one.body),
    s(one.spill),
    s(one.absorbed),
    s(one.arrival),
    s(one.drain),
    s(one.hiddenEncoder),
    cause
  ])
  const header = [
    'reading',
    'freed stage',
    'encoder in baseline',
    'body',
    'spill',
    'absorbed',
    'arrival',
    'drain',
    'hidden encoder',
    'cause'
  ]
  return grid(header, cells, style, ['left', RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT])
}

function policyTable(rows: readonly Row[], style: Style): string {
  const names = [...new Set(rows.flatMap(row => Object.keys(row.policies)))]
  const cells = rows.map(row => [
    row.reading.id,
    ...names.map(name => (name in row.policies ? two(row.policies[name]) : '')),
    two(row.lowerBound)
  ])
  return grid(['reading', ...names, 'lower bound'], cells, style, ['left', ...names.map(() => RIGHT), RIGHT])
}

function sweepTable(sweep: PaperView['sweep'], style: Style): string {
  const cells = sweep.map(point => [
    `${point.vary} ${Number(point.value.toPrecision(4))}`,
    two(point.baseline),
    two(point.transposed),
    ratio(point.baseline, point.transposed),
    two(point.greedy),
    two(point.lowerBound),
    `${(100 * (1 - point.lowerBound / point.transposed)).toFixed(1)} %`
  ])
  const header = [
    'varied',
    'baseline/s',
    'transpose-full/s',
    'speedup',
    'transpose-greedy/s',
    'lower bound/s',
    'room below'
  ]
  return grid(header, cells, style, ['left', RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, RIGHT])
}
