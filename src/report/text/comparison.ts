import { maximum } from '../../base/arrays.ts'
import { showBytes } from '../../base/bytes.ts'
import { line, wrap } from '../../base/wrap.ts'
import { CAUSES, type Cause } from '../../schedule/idle.ts'
import { digits, type Scale, showPercent, timeColumn, timeText } from '../../schedule/quantities.ts'
import { closedFormTable, type FormView } from './closed-form.ts'
import { bold, dim } from './glyphs.ts'
import { lettered } from './lettered.ts'
import type { Style } from './style.ts'
import { type Align, grid } from './table.ts'

/** Figures of a row beside those of the table; times are ticks. */
export type FigureView = {
  readonly span: number
  readonly bubbleOverWork: number
  readonly utilisation: number
  readonly bytesMoved: number
  readonly exposedEncoder: number
  readonly idle: Readonly<Record<Cause, number>>
}

/** One line of a comparison; lists have one entry per rank, times are ticks. */
export type LineView = Partial<FigureView> & {
  readonly family: string
  readonly makespan: number
  readonly speedup?: number
  readonly gapToOptimum?: number
  readonly bubbleRatio?: number
  readonly peakMemory?: readonly number[]
  readonly inFlight?: readonly number[]
  readonly legal: boolean
  readonly violations: readonly string[]
  /** What the family changes of the instance, and what it charges, in words. */
  readonly notes?: readonly string[]
  readonly closedForm?: FormView
}

/** What of `tropipe.comparison/1` is printed. */
export type ComparisonView = Scale & {
  readonly name: string
  /** Hash of the instance. */
  readonly instance?: string
  readonly P: number
  readonly M: number
  readonly rows: readonly LineView[]
  readonly notApplicable: readonly { readonly family: string; readonly reason: string }[]
  readonly baseline: string
  /** Relations that do not hold although they must. */
  readonly contradictions?: readonly string[]
  readonly optimum?: Partial<FigureView & Pick<LineView, 'bubbleRatio' | 'peakMemory' | 'inFlight'>> & {
    readonly status: string
    readonly problem: string
    readonly makespan?: number
    readonly lowerBound: number
    /** Why nothing was found, where that is known. */
    readonly reason?: string
  }
}

/** The comparison as a table with its legend, the closed forms, and what did not apply. */
export function comparisonText(view: ComparisonView, style: Style): string {
  const { unit, header, align, rows } = tableOf(view)
  const head = `${view.name}  ${view.P} ranks x ${view.M} microbatches  makespan in ${unit}`
  const notes = notesOf(view).map(note => `${wrap(note, style.columns, '  ')}\n`)
  const last = view.optimum?.makespan === undefined ? Number.NaN : rows.length - 1
  const emphasis = (line: string, row: number) =>
    row === -1 ? dim(line, style) : row === last ? bold(line, style) : line
  const sections = [
    line(head, style.columns),
    grid(header, rows, style, align, emphasis, ASIDE),
    notes.join(''),
    formSection(view, style)
  ]
  return sections.filter(Boolean).join('\n')
}

/** What a narrow page shows below the rest. */
const ASIDE = ['flight', 'memory', 'bubble']

/** Header and cells that people read. */
function tableOf(view: ComparisonView): { unit: string; header: string[]; align: Align[]; rows: string[][] } {
  const lines = linesOf(view)
  const footnotes = footnotesOf(view)
  const { unit, cells } = timeColumn(
    lines.map(line => line.makespan),
    view
  )
  const columns: readonly [header: string, align: Align, cell: (line: LineView, index: number) => string][] = [
    ['family', 'left', line => line.family],
    ['makespan', 'right', (_, index) => cells[index]],
    ['speedup', 'right', line => (line.speedup === undefined ? '-' : `${line.speedup.toFixed(3)}x`)],
    ['gap', 'right', line => (line.gapToOptimum === undefined ? '-' : showPercent(line.gapToOptimum))],
    ['bubble', 'right', line => (line.bubbleRatio === undefined ? '-' : showPercent(line.bubbleRatio))],
    ['memory', 'right', line => (line.peakMemory ? showBytes(maximum(line.peakMemory)) : '-')],
    ['flight', 'right', line => (line.inFlight ? `${maximum(line.inFlight)}` : '-')],
    ['legal', 'left', legalWord],
    ['notes', 'left', line => marksOf(line, footnotes)]
  ]
  const hidden = [
    ...(view.optimum ? [] : ['gap']),
    ...(statesMemory(view) ? [] : ['memory']),
    ...(footnotes.size > 0 ? [] : ['notes'])
  ]
  const shown = columns.filter(([header]) => !hidden.includes(header))
  return {
    unit,
    header: shown.map(([header]) => header),
    align: shown.map(([, align]) => align),
    rows: lines.map((line, index) => shown.map(([, , cell]) => cell(line, index)))
  }
}

/** Every different note of the rows with its mark. */
export function footnotesOf(view: Pick<ComparisonView, 'rows'>): ReadonlyMap<string, string> {
  return lettered(view.rows.flatMap(row => row.notes ?? []))
}

/** The marks of a line's notes. */
export function marksOf({ notes = [] }: LineView, footnotes: ReadonlyMap<string, string>): string {
  return notes.map(note => footnotes.get(note)).join(' ')
}

function isLegal(view: ComparisonView, family: string): boolean {
  return view.rows.some(row => row.family === family && row.legal)
}

function statesMemory(view: ComparisonView): boolean {
  return view.rows.some(row => row.peakMemory?.some(bytes => bytes > 0))
}

function legalWord(line: Pick<LineView, 'legal' | 'violations'>): string {
  return line.legal ? 'yes' : `no: ${line.violations.join(', ')}`
}

/** The families, then the best schedule found, as one more line. */
function linesOf(view: ComparisonView): LineView[] {
  const { optimum } = view
  if (optimum?.makespan === undefined) return [...view.rows]
  const base = view.rows.find(row => row.family === view.baseline)
  const {
    bubbleRatio,
    peakMemory,
    inFlight,
    status: _status,
    problem: _problem,
    lowerBound: _bound,
    reason: _reason,
    ...figures
  } = optimum
  const metrics = bubbleRatio !== undefined && peakMemory && inFlight ? { bubbleRatio, peakMemory, inFlight } : {}
  const line: LineView = {
    ...figures,
    family: optimum.status === 'optimal' ? 'optimum' : 'best found',
    makespan: optimum.makespan,
    ...(base && optimum.makespan > 0 ? { speedup: base.makespan / optimum.makespan } : {}),
    ...(optimum.status === 'optimal' ? { gapToOptimum: 0 } : {}),
    ...metrics,
    legal: true,
    violations: []
  }
  return [...view.rows, line]
}

function notesOf(view: ComparisonView): string[] {
  const { optimum } = view
  const best = optimum?.status === 'optimal' ? 'optimum' : 'best found'
  const meanings = [
    `speedup: against ${view.baseline}${isLegal(view, view.baseline) ? '' : ' (itself not legal here)'}`,
    ...(optimum
      ? [`gap: (makespan - ${best}) / makespan${belowBest(view) ? ', negative where a wider problem allows less' : ''}`]
      : []),
    'bubble: idle time / (ranks x makespan)',
    ...(statesMemory(view) ? ['memory: peak of the worst rank'] : []),
    'flight: most microbatches in flight on a rank'
  ]
  return [
    `${meanings.join('; ')}.`,
    ...footnoteLines(view),
    ...(optimum ? [`${optimumNote(view, optimum)}.`] : []),
    ...reasonNotes(view),
    ...(view.contradictions ?? []).map(text => `CONTRADICTION: ${text}. Please report this.`)
  ]
}

/** Whether some family is shorter than the best of the searched problem: it orders or cuts what that problem fixes. */
export function belowBest(view: Pick<ComparisonView, 'rows'>): boolean {
  return view.rows.some(row => (row.gapToOptimum ?? 0) < 0)
}

/** What the marks of the column \`notes\` mean. */
function footnoteLines(view: ComparisonView): string[] {
  return [...footnotesOf(view)].map(([note, mark]) => `${mark}: ${note}.`)
}

/** One note per reason, with all families that it keeps out. */
export function reasonNotes(view: Pick<ComparisonView, 'notApplicable'>): string[] {
  const reasons = [...new Set(view.notApplicable.map(entry => entry.reason))]
  return reasons.map(reason => {
    const entries = view.notApplicable.filter(entry => entry.reason === reason)
    return `without ${entries.map(entry => entry.family).join(', ')}: ${reason}.`
  })
}

function optimumNote(view: ComparisonView, optimum: NonNullable<ComparisonView['optimum']>): string {
  const bound = timeText(optimum.lowerBound, view)
  if (optimum.status === 'optimal') return `optimum: proved for problem "${optimum.problem}" (lower bound ${bound})`
  if (optimum.makespan === undefined) return `no schedule found for problem "${optimum.problem}": ${optimum.status}`
  const gap = showPercent((optimum.makespan - optimum.lowerBound) / optimum.makespan)
  return `best found: not proved optimal; no schedule of problem "${optimum.problem}" is shorter than ${bound} (gap ${gap})`
}

function formSection(view: ComparisonView, style: Style): string {
  const forms = view.rows.flatMap(row => (row.closedForm ? [{ name: row.family, form: row.closedForm }] : []))
  return forms.length === 0 ? '' : closedFormTable(forms, view, style)
}

const RAW = [
  'family',
  'makespan',
  'unit',
  'makespanTicks',
  'speedup',
  'gapToOptimum',
  'bubbleRatio',
  'peakMemoryBytes',
  'inFlight',
  'legal',
  'violations',
  'spanTicks',
  'bubbleOverWork',
  'utilisation',
  'bytesMoved',
  'exposedEncoderTicks',
  ...CAUSES.map(cause => `idleTicks:${cause}`),
  'notes'
]

/** Numbers as they are, for machines: per-rank lists by their largest entry. */
function rawRows(view: ComparisonView): string[][] {
  return linesOf(view).map(line => [
    line.family,
    digits(line.makespan / view.ticksPerUnit),
    view.unit,
    `${line.makespan}`,
    line.speedup?.toFixed(6) ?? '',
    line.gapToOptimum?.toFixed(6) ?? '',
    line.bubbleRatio?.toFixed(6) ?? '',
    line.peakMemory ? `${maximum(line.peakMemory)}` : '',
    line.inFlight ? `${maximum(line.inFlight)}` : '',
    line.legal ? 'yes' : 'no',
    line.violations.join(' '),
    ...figureCells(line)
  ])
}

function figureCells(line: LineView): string[] {
  const { span, bubbleOverWork, utilisation, bytesMoved, exposedEncoder, idle } = line
  const whole = (value: number | undefined) => (value === undefined ? '' : `${value}`)
  return [
    whole(span),
    bubbleOverWork?.toFixed(6) ?? '',
    utilisation?.toFixed(6) ?? '',
    whole(bytesMoved),
    whole(exposedEncoder),
    ...CAUSES.map(cause => whole(idle?.[cause])),
    (line.notes ?? []).join('; ')
  ]
}

/** The comparison as CSV (RFC 4180), one header line per document. `instance` is the first column. */
export function comparisonCsv(views: readonly ComparisonView[]): string {
  const rows = views.flatMap(view => rawRows(view).map(row => [view.name, ...row]))
  return [['instance', ...RAW], ...rows].map(row => `${row.map(csvCell).join(',')}\r\n`).join('')
}

/** Quotes where needed; a leading sign of a formula is defused, since spreadsheets run it. */
function csvCell(text: string): string {
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The comparison as a Markdown table with its legend. */
export function comparisonMarkdown(view: ComparisonView): string {
  const { unit, header, align, rows } = tableOf(view)
  const rule = align.map(side => (side === 'left' ? '---' : '---:'))
  const table = [header, rule, ...rows].map(row => `| ${row.map(markdownCell).join(' | ')} |\n`).join('')
  const notes = notesOf(view)
    .map(note => `- ${note}\n`)
    .join('')
  return `### ${view.name}: ${view.P} ranks x ${view.M} microbatches, makespan in ${unit}\n\n${table}\n${notes}`
}

function markdownCell(text: string): string {
  return text.replace(/[\\|<>`*_[\]]/g, c => `\\${c}`)
}
