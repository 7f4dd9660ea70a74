import { wrap } from '../../base/wrap.ts'
import { digits, showPercent, timeText } from '../../schedule/quantities.ts'
import type { LineView } from './comparison.ts'
import type { Style } from './style.ts'
import { type Align, grid } from './table.ts'

/** One point of a sweep as it is printed. */
export type SweepRowView = {
  readonly point: Readonly<Record<string, number>>
  readonly encoderShare: number
  readonly refused?: string
  readonly comparison?: {
    readonly name: string
    readonly unit: string
    readonly ticksPerUnit: number
    readonly baseline: string
    readonly rows: readonly LineView[]
    readonly optimum?: { readonly status: string; readonly makespan?: number; readonly lowerBound: number }
  }
}

/** Families that get a column of their own; beyond that the best one is named. */
const COLUMNS = 5

type Column = readonly [head: string, align: Align, cell: (row: SweepRowView) => string]

/** The sweep as a table: one line per point, speedups over the baseline. */
export function sweepText(rows: readonly SweepRowView[], style: Style): string {
  const columns = columnsOf(rows)
  const table = grid(
    columns.map(([head]) => head),
    rows.map(row => columns.map(([, , cell]) => cell(row))),
    style,
    columns.map(([, align]) => align)
  )
  return `${table}\n${notesOf(rows)
    .map(note => `${wrap(note, style.columns, '  ')}\n`)
    .join('')}`
}

/** The sweep as a Markdown table with its notes. */
export function sweepMarkdown(rows: readonly SweepRowView[]): string {
  const columns = columnsOf(rows)
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replace(/[\\|<>`*_[\]]/g, c => `\\${c}`)).join(' | ')} |\n`
  const body = rows.map(row => line(columns.map(([, , cell]) => cell(row)))).join('')
  const rule = `| ${columns.map(([, align]) => (align === 'left' ? '---' : '---:')).join(' | ')} |\n`
  const notes = notesOf(rows).map(note => `- ${note}\n`)
  return `${line(columns.map(([head]) => head))}${rule}${body}\n${notes.join('')}`
}

/** The sweep as CSV: one line per point and family, the optimum among them; numbers as they are. */
export function sweepCsv(rows: readonly SweepRowView[]): string {
  const axes = axesOf(rows)
  const head = [
    'instance',
    ...axes,
    'encoderShare',
    'family',
    'makespan',
    'unit',
    'speedup',
    'bubbleRatio',
    'legal',
    'refused'
  ]
  const lines = rows.flatMap(row => {
    const start = [
      row.comparison?.name ?? '',
      ...axes.map(axis => digits(row.point[axis] ?? Number.NaN)),
      row.encoderShare.toFixed(6)
    ]
    const { comparison } = row
    if (!comparison) return [[...start, '', '', '', '', '', '', row.refused ?? '']]
    return [...comparison.rows, ...optimumLine(comparison)].map(line => [
      ...start,
      line.family,
      digits(line.makespan / comparison.ticksPerUnit),
      comparison.unit,
      line.speedup?.toFixed(6) ?? '',
      line.bubbleRatio?.toFixed(6) ?? '',
      line.legal ? 'yes' : 'no',
      ''
    ])
  })
  return [head, ...lines].map(cells => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(value: string): string {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function columnsOf(rows: readonly SweepRowView[]): Column[] {
  const names = new Set(rows.map(row => row.comparison?.name.replace(/ [a-z]+=.*$/, '') ?? ''))
  const families = [...new Set(rows.flatMap(row => row.comparison?.rows.map(line => line.family) ?? []))]
  const hasOptimum = rows.some(row => row.comparison?.optimum)
  return [
    ...(names.size > 1
      ? [['instance', 'left', (row: SweepRowView) => row.comparison?.name.replace(/ [a-z]+=.*$/, '') ?? '-'] as Column]
      : []),
    ...axesOf(rows).map((axis): Column => [axis, 'right', row => digits(row.point[axis])]),
    ['share', 'right', row => showPercent(row.encoderShare)],
    ['baseline', 'right', row => baselineTime(row)],
    ...(families.length <= COLUMNS
      ? families.map((id): Column => [id, 'right', row => speedupOf(row, id)])
      : bestColumns()),
    ...(hasOptimum
      ? ([
          ['optimum', 'right', optimumSpeedup],
          ['proved', 'left', proofWord]
        ] as Column[])
      : [])
  ]
}

function axesOf(rows: readonly SweepRowView[]): string[] {
  return [...new Set(rows.flatMap(row => Object.keys(row.point)))]
}

function baselineTime({ comparison, refused }: SweepRowView): string {
  if (!comparison) return refused ?? '-'
  const base = comparison.rows.find(line => line.family === comparison.baseline)
  return base ? timeText(base.makespan, comparison) : '-'
}

function speedupOf({ comparison }: SweepRowView, id: string): string {
  const line = comparison?.rows.find(one => one.family === id)
  if (line?.speedup === undefined) return '-'
  return `${line.speedup.toFixed(3)}x${line.legal ? '' : '!'}`
}

function bestColumns(): Column[] {
  const best = (row: SweepRowView) => bestLegal(row.comparison?.rows ?? [])
  return [
    ['best family', 'left', row => best(row)?.family ?? '-'],
    ['speedup', 'right', row => (best(row)?.speedup === undefined ? '-' : `${best(row)!.speedup!.toFixed(3)}x`)]
  ]
}

/** The legal line with the shortest makespan. */
export function bestLegal(lines: readonly LineView[]): LineView | undefined {
  const legal = lines.filter(line => line.legal)
  return legal.length === 0 ? undefined : legal.reduce((a, b) => (b.makespan < a.makespan ? b : a))
}

function optimumSpeedup({ comparison }: SweepRowView): string {
  const line = comparison ? optimumLine(comparison)[0] : undefined
  return line?.speedup === undefined ? '-' : `${line.speedup.toFixed(3)}x`
}

function proofWord({ comparison }: SweepRowView): string {
  const optimum = comparison?.optimum
  if (optimum?.makespan === undefined) return optimum?.status ?? '-'
  if (optimum.status === 'optimal') return 'yes'
  return `no: gap ${showPercent((optimum.makespan - optimum.lowerBound) / optimum.makespan)}`
}

/** The best schedule found, as one more line. */
export function optimumLine(comparison: NonNullable<SweepRowView['comparison']>): LineView[] {
  const { optimum, rows, baseline } = comparison
  if (optimum?.makespan === undefined) return []
  const base = rows.find(line => line.family === baseline)
  const speedup = base && optimum.makespan > 0 ? { speedup: base.makespan / optimum.makespan } : {}
  return [{ family: 'optimum', makespan: optimum.makespan, ...speedup, legal: true, violations: [] }]
}

function notesOf(rows: readonly SweepRowView[]): string[] {
  const baselines = [...new Set(rows.flatMap(row => (row.comparison ? [row.comparison.baseline] : [])))]
  const illegal = rows.some(row => row.comparison?.rows.some(line => !line.legal))
  return [
    `share: of the encoder in all work; speedups over ${baselines.join(' or ') || 'nothing'}.`,
    ...(illegal ? ['!: not legal, mostly for its memory.'] : [])
  ]
}
