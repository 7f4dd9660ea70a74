import { maximum, range } from '../../base/arrays.ts'
import type { ScheduleDocument, TimedEvent, TimedKind } from '../../schedule/document.ts'
import { idleTicks } from '../../schedule/metrics.ts'
import { fillOf, legendOf, paintAs } from './glyphs.ts'
import { digits, timeText, timeUnit } from './quantities.ts'
import type { Style } from './style.ts'

/** Rows beyond this are counted, not drawn. */
const MAX_ROWS = 40
/** A cell shows encoder work that fills at least this share of it, even where something else fills more. */
const ENCODE_SHARE = 0.4
/** Columns that the idle share takes on the right. */
const IDLE_WIDTH = 6

/**
 * A schedule as text: one row per rank, time from left to right over the full width, each event filled by kind and, where
 * it is wide enough, labelled with its microbatch. On the right each rank's idle share of the makespan.
 */
export function ganttText(document: ScheduleDocument, style: Style): string {
  const label = `rank ${document.ranks.length - 1}`.length
  const cells = Math.max(10, style.columns - label - IDLE_WIDTH - 2)
  const edge = style.unicode ? '│' : '|'
  const idle = idleTicks(document)
  const rows = document.ranks.slice(0, MAX_ROWS).map((events, rank) => {
    const share = document.makespan === 0 ? 0 : Math.round((100 * idle[rank]) / document.makespan)
    return `${`rank ${rank}`.padEnd(label)} ${edge}${row(events, cells, document.makespan, style)}${edge}${`${share}%`.padStart(IDLE_WIDTH - 1)}`
  })
  const hidden = document.ranks.length - rows.length
  if (hidden > 0) rows.push(`${' '.repeat(label)}  ... and ${hidden} more ranks`)
  const head = `${' '.repeat(label + 3 + cells)}${'idle'.padStart(IDLE_WIDTH - 1)}`
  return `${[head, ...rows, ...axis(document, label, cells, style), '', ...legend(document, cells, style)].join('\n')}\n`
}

function row(events: readonly TimedEvent[], cells: number, makespan: number, style: Style): string {
  const shown = cellEvents(events, cells, makespan)
  let text = ''
  for (let cell = 0; cell < cells; ) {
    const event = shown[cell]
    let end = cell + 1
    while (end < cells && shown[end] === event) end++
    const kind = event?.kind ?? 'idle'
    text += paintAs(kind, block(event, end - cell, fillOf(kind, style)), style)
    cell = end
  }
  return text
}

/** The microbatch, then fill; only fill where the number would hide the kind. */
function block(event: TimedEvent | undefined, width: number, fill: string): string {
  const label = event && `${event.microbatch}`.length < width ? `${event.microbatch}` : ''
  return label + fill.repeat(width - label.length)
}

/** Which event each cell shows: the one that fills most of it, or none where idleness does. */
function cellEvents(events: readonly TimedEvent[], cells: number, makespan: number): (TimedEvent | undefined)[] {
  const span = makespan / cells
  const shown = range(cells).map((): TimedEvent | undefined => undefined)
  const weight = new Float64Array(cells)
  const busy = new Float64Array(cells)
  for (const event of events) {
    const last = Math.min(cells - 1, Math.ceil(event.end / span) - 1)
    for (let cell = Math.floor(event.start / span); cell <= last; cell++) {
      const overlap = Math.min(event.end, (cell + 1) * span) - Math.max(event.start, cell * span)
      const share = overlap / span
      busy[cell] += share
      const force = isEncode(event) && share >= ENCODE_SHARE ? 1 + share : share
      if (force > weight[cell]) [weight[cell], shown[cell]] = [force, event]
    }
  }
  return shown.map((event, cell) => (weight[cell] >= 1 || busy[cell] >= 0.5 ? event : undefined))
}

function isEncode(event: TimedEvent): boolean {
  return event.kind === 'E' || event.kind === 'EB'
}

/** A ruler at round numbers in a unit that suits the makespan. */
function axis(document: ScheduleDocument, label: number, cells: number, style: Style): string[] {
  const unit = timeUnit(document.makespan, document)
  const total = document.makespan * unit.perTick
  const step = roundStep(total / Math.max(1, Math.floor(cells / 12)))
  const [corner, line, tick, end] = style.unicode ? ['└', '─', '┬', '┘'] : ['+', '-', '+', '+']
  const ruler = range(cells).map(() => line)
  let numbers = ''
  for (let mark = 0; total > 0 && mark * step <= total; mark++) {
    const cell = Math.min(cells - 1, Math.round((mark * step * cells) / total))
    ruler[cell] = tick
    const text = digits(mark * step)
    if (cell + text.length <= cells + IDLE_WIDTH && cell >= numbers.length) numbers = numbers.padEnd(cell) + text
  }
  return [`${' '.repeat(label + 1)}${corner}${ruler.join('')}${end}`, `${unit.name.padStart(label)}  ${numbers}`]
}

/** The smallest of 1, 2, 5 times a power of ten that is not below the given step. */
function roundStep(least: number): number {
  if (!(least > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(least))
  const factor = [1, 2, 5, 10].find(f => f * power >= least * 0.999) ?? 10
  return factor * power
}

function legend(document: ScheduleDocument, cells: number, style: Style): string[] {
  const kinds = new Set<TimedKind>(document.ranks.flat().map(event => event.kind))
  const column = timeText(maximum([document.makespan]) / cells, document)
  return [
    legendOf(kinds, style).join('   '),
    `numbers are microbatches; one column is ${column.replace(/(\.\d{2})\d+/, '$1')}`
  ]
}
