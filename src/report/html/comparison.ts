import { maximum, sum } from '../../base/arrays.ts'
import { showBytes } from '../../base/bytes.ts'
import { CAUSE_WORDS, CAUSES, type Cause } from '../../schedule/idle.ts'
import { showPercent, timeColumn, timeText, timeUnit } from '../../schedule/quantities.ts'
import { paretoChart } from '../charts/pareto.ts'
import type { Picture } from '../picture.ts'
import { belowBest, type ComparisonView, footnotesOf, type LineView, marksOf, reasonNotes } from '../text/comparison.ts'
import { type RefusedFormat, type RunnableFile, verdictSentences } from '../text/verdict.ts'
import type { Fact, Report, ReportTable } from './types.ts'

/** What a page shows of a comparison. */
export type ComparisonPage = ComparisonView

/** The schedule of a row; its picture is asked for only where it is drawn. */
export type RowPicture = {
  readonly id: string
  readonly title: string
  readonly events: number
  readonly makespan: number
  readonly picture: () => Picture
}

/** Events that a page draws in all (about 35 bytes each); beyond, schedules are left out, those with the longest steps first. */
const MOST_EVENTS = 60_000

/** Events of one schedule beyond which it is never drawn: they would be narrower than a hundredth of a pixel. */
const MOST_OF_ONE = 150_000

/** The pictures that fit a page, in their order: the baseline's and the best one's first, then by makespan. */
function fittingPictures(page: ComparisonPage, pictures: readonly RowPicture[]): readonly RowPicture[] {
  const first = ({ id }: RowPicture) => id === page.baseline || id === 'optimum' || id === 'best'
  const rank = (one: RowPicture) => (first(one) ? -1 : one.makespan)
  let events = 0
  const kept = new Set<RowPicture>()
  const drawable = pictures.filter(one => one.events <= MOST_OF_ONE)
  for (const one of drawable.sort((a, b) => rank(a) - rank(b))) {
    events += one.events
    if (first(one) || events <= MOST_EVENTS) kept.add(one)
  }
  return pictures.filter(one => kept.has(one))
}

/** A comparison as a report: verdict, tables, every schedule before and after, Pareto front. */
export function comparisonReport(
  page: ComparisonPage,
  pictures: readonly RowPicture[],
  files: readonly RunnableFile[] = [],
  refused: readonly RefusedFormat[] = []
): Report {
  const lines = [...page.rows, ...bestLine(page, pictures)]
  const drawn = fittingPictures(page, pictures)
  const left = pictures.filter(one => !drawn.includes(one)).map(one => one.id)
  return {
    title: `${page.name}: ${page.P} ranks x ${page.M} microbatches`,
    lead: verdictSentences(page, files, refused),
    tables: [withMarks(figureTable(page, lines, MAIN, 'Families; choose one to see its schedule'), lines)],
    details: [figureTable(page, lines, MORE, 'More figures'), idleTable(page, lines)],
    schedules: drawn.map(({ id, title, picture }) => {
      const line = lines.find(one => one.family === id)
      return { id, title, picture: picture(), facts: line ? factsOf(line, page) : [] }
    }),
    ...(drawn.some(({ id }) => id === page.baseline) ? { before: page.baseline } : {}),
    ...afterOf(lines, drawn),
    charts: chartsOf(page, lines),
    notes: [...notesOf(page), ...leftOutNotes(pictures, left)]
  }
}

/** Which schedules are not drawn, why, and what helps. */
function leftOutNotes(pictures: readonly RowPicture[], left: readonly string[]): string[] {
  const large = pictures.filter(one => one.events > MOST_OF_ONE)
  const small = left.filter(id => !large.some(one => one.id === id))
  const events = (most: number) => most.toLocaleString('en-US')
  return [
    ...(small.length > 0
      ? [`Not drawn, since a page draws ${events(MOST_EVENTS)} events (choose with --families): ${small.join(', ')}.`]
      : []),
    ...(large.length > 0
      ? [
          `Not drawn, with more than ${events(MOST_OF_ONE)} events each: ${large.map(one => one.id).join(', ')}; \`tropipe convert --to perfetto\` shows such a schedule in a trace viewer.`
        ]
      : [])
  ]
}

/** The best schedule found, as one more line. */
function bestLine(page: ComparisonPage, pictures: readonly RowPicture[]): LineView[] {
  const { optimum } = page
  const id = pictures.find(one => one.id === 'optimum' || one.id === 'best')?.id
  if (optimum?.makespan === undefined || id === undefined) return []
  const base = page.rows.find(row => row.family === page.baseline)
  const speedup = base && optimum.makespan > 0 ? { speedup: base.makespan / optimum.makespan } : {}
  return [
    { ...optimum, family: id, makespan: optimum.makespan, ...speedup, gapToOptimum: 0, legal: true, violations: [] }
  ]
}

function afterOf(lines: readonly LineView[], pictures: readonly RowPicture[]): { after?: string } {
  const best = pictures.find(({ id }) => id === 'optimum' || id === 'best')?.id
  const legal = lines.filter(line => line.legal)
  const shortest = legal.length > 0 ? legal.reduce((a, b) => (b.makespan < a.makespan ? b : a)).family : undefined
  const after = best ?? shortest
  return after === undefined ? {} : { after }
}

type FigureName =
  | 'makespan'
  | 'speedup'
  | 'gap to optimum'
  | 'bubble over makespan'
  | 'exposed encoder'
  | 'peak memory'
  | 'in flight'
  | 'legal'
  | 'span'
  | 'bubble over work'
  | 'utilisation'
  | 'bytes moved'

const MAIN: readonly FigureName[] = [
  'makespan',
  'speedup',
  'gap to optimum',
  'bubble over makespan',
  'exposed encoder',
  'peak memory',
  'in flight',
  'legal'
]
const MORE: readonly FigureName[] = ['span', 'bubble over work', 'utilisation', 'bytes moved']

/** A figure of a line as text, or undefined where the line lacks it. */
function figureOf(line: LineView, name: FigureName, page: ComparisonPage): string | undefined {
  const shown = <T>(value: T | undefined, show: (value: T) => string) => (value === undefined ? undefined : show(value))
  const time = (ticks: number) => timeText(ticks, page)
  switch (name) {
    case 'makespan':
      return time(line.makespan)
    case 'speedup':
      return shown(line.speedup, value => value.toFixed(3))
    case 'gap to optimum':
      return shown(line.gapToOptimum, showPercent)
    case 'bubble over makespan':
      return shown(line.bubbleRatio, showPercent)
    case 'exposed encoder':
      return shown(line.exposedEncoder, time)
    case 'peak memory':
      return shown(line.peakMemory, bytes => (maximum(bytes) > 0 ? showBytes(maximum(bytes)) : '-'))
    case 'in flight':
      return shown(line.inFlight, counts => String(maximum(counts)))
    case 'legal':
      return line.legal ? 'yes' : `no: ${line.violations.join(', ')}`
    case 'span':
      return shown(line.span, time)
    case 'bubble over work':
      return shown(line.bubbleOverWork, showPercent)
    case 'utilisation':
      return shown(line.utilisation, showPercent)
    case 'bytes moved':
      return shown(line.bytesMoved, bytes => (bytes > 0 ? showBytes(bytes) : '-'))
  }
}

/** Times of a line that a column shows in one unit. */
const TIMES: Readonly<Partial<Record<FigureName, (line: LineView) => number | undefined>>> = {
  makespan: line => line.makespan,
  span: line => line.span,
  'exposed encoder': line => line.exposedEncoder
}

/** A table of figures, one line per family; a figure that no line has is left out. Times share one unit per column. */
function figureTable(
  page: ComparisonPage,
  lines: readonly LineView[],
  names: readonly FigureName[],
  caption: string
): ReportTable {
  const columns = names.map(name => figureColumn(page, lines, name))
  const known = columns.filter(({ cells }) => cells.some(cell => cell !== '-'))
  return {
    caption,
    head: ['family', ...known.map(({ head }) => head)],
    rows: lines.map((line, index) => [line.family, ...known.map(({ cells }) => cells[index])])
  }
}

function figureColumn(page: ComparisonPage, lines: readonly LineView[], name: FigureName) {
  const times = TIMES[name]
  if (times) {
    const { unit, cells } = timeColumn(lines.map(times), page)
    return { head: `${name} / ${unit}`, cells }
  }
  const best = page.optimum?.status === 'optimal' ? 'optimum' : 'best found'
  const head =
    name === 'speedup' ? `speedup over ${page.baseline}` : name === 'gap to optimum' ? `gap to ${best}` : name
  return { head, cells: lines.map(line => figureOf(line, name, page) ?? '-') }
}

/** The table with a mark per note (what a family changes of the instance, and what it charges), and their meanings. */
function withMarks(table: ReportTable, lines: readonly LineView[]): ReportTable {
  const footnotes = footnotesOf({ rows: lines })
  if (footnotes.size === 0) return table
  return {
    ...table,
    head: [...table.head, 'notes'],
    rows: table.rows.map((row, index) => [...row, marksOf(lines[index], footnotes)]),
    notes: [...footnotes].map(([note, mark]) => `${mark}: ${note}`)
  }
}

function idleTable(page: ComparisonPage, lines: readonly LineView[]): ReportTable {
  const shown = lines.filter(line => line.idle)
  const share = (line: LineView, cause: Cause) =>
    line.makespan > 0 ? showPercent(line.idle![cause] / (page.P * line.makespan)) : '0.0 %'
  return {
    caption: 'Idle time by cause, as a share of ranks x makespan; a row sums to its bubble over makespan',
    head: ['family', ...CAUSES.map(cause => CAUSE_WORDS[cause]), 'all'],
    rows: shown.map(line => [
      line.family,
      ...CAUSES.map(cause => share(line, cause)),
      line.makespan > 0 ? showPercent(sum(Object.values(line.idle!)) / (page.P * line.makespan)) : '0.0 %'
    ])
  }
}

function factsOf(line: LineView, page: ComparisonPage): Fact[] {
  return [...MAIN, ...MORE].flatMap(name => {
    const value = figureOf(line, name, page)
    return value === undefined || value === '-' ? [] : [{ name, value }]
  })
}

function chartsOf(page: ComparisonPage, lines: readonly LineView[]) {
  const shown = lines.filter(line => line.legal && line.peakMemory)
  const unit = timeUnit(maximum(shown.map(line => line.makespan)), page)
  const points = shown.map(line => ({
    name: line.family,
    x: maximum(line.peakMemory!) / 1e9,
    y: line.makespan * unit.perTick
  }))
  if (points.length < 2 || points.every(point => point.x === points[0].x)) return []
  const svg = paretoChart(
    { title: 'Makespan against peak memory', x: 'peak memory of the worst rank / GB', y: `makespan / ${unit.name}` },
    points
  )
  return [{ caption: 'Legal schedules; the line joins those that no other beats in both.', svg }]
}

/** What each problem fixes and frees. */
const PROBLEMS: Readonly<Record<string, string>> = {
  owner: 'the order of transpose-full; free is which rank encodes which microbatch',
  placement:
    'the order of the backbone on every rank is as the instance states; free are rank and time of all encoder work',
  reorder: 'as placement, and one order of the microbatches for all ranks is free',
  joint: 'only the ranks of the stages are fixed; every order is free'
}

/** What the optimum is the optimum of. */
function problemNote(page: ComparisonPage): string[] {
  const { optimum } = page
  const words = optimum && PROBLEMS[optimum.problem]
  return words
    ? [
        `problem "${optimum.problem}": ${words}. The optimum is of this problem, not of wider ones${belowBest(page) ? ': a negative gap is a family of a wider one' : ''}.`
      ]
    : []
}

function notesOf(page: ComparisonPage): string[] {
  return [
    'makespan: the latest end of any event, broadcast or reduction, counted from 0; it is what a synchronous step takes.',
    "span: the longest time from a rank's first start to its last end; it counts only where the step has no barrier.",
    'bubble over makespan: idle time inside the makespan / (ranks x makespan). bubble over work: the same idle time / work.',
    'utilisation: needed work / (ranks x makespan); recomputed work is not needed, an overlapped pair counts for the time it takes.',
    'exposed encoder: by how much the encoder lengthens the step, against the same order with an encoder that takes no time.',
    'peak memory and in flight: of the worst rank. bytes moved: stage outputs, features and their gradients between ranks.',
    ...problemNote(page),
    ...reasonNotes(page),
    ...(page.instance ? [`instance: ${page.instance}.`] : [])
  ]
}
