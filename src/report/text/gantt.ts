import { maximum, range } from '../../base/arrays.ts'
import { wrap } from '../../base/wrap.ts'
import type { ScheduleDocument, TimedEvent, TimedKind } from '../../schedule/document.ts'
import { idleTicks } from '../../schedule/metrics.ts'
import { digits, timeText, timeUnit } from '../../schedule/quantities.ts'
import { fillOf, legendLines, paintAs } from './glyphs.ts'
import type { Style } from './style.ts'

/** Rows beyond this are counted, not drawn. */
const MAX_ROWS = 40
/** Share of a cell that encoder work is given on top of what it fills. */
const HEAD_START = 0.3
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

/**
 * Which event each cell shows. Where events are shorter than a cell, the kinds take turns so that over the row each fills
 * its true share (the kind that is owed most wins); encoder work gets a head start, so that a short one is not lost.
 */
function cellEvents(events: readonly TimedEvent[], cells: number, makespan: number): (TimedEvent | undefined)[] {
  const owed = new Map<TimedKind | 'idle', number>()
  return cellShares(events, cells, makespan).map(shares => {
    let [best, lead] = [undefined as Share | undefined, Number.NEGATIVE_INFINITY]
    for (const share of shares) {
      const kind = share.event?.kind ?? 'idle'
      owed.set(kind, (owed.get(kind) ?? 0) + share.part)
    }
    for (const share of shares) {
      const kind = share.event?.kind ?? 'idle'
      const claim = (owed.get(kind) ?? 0) + (isEncode(kind) ? HEAD_START : 0) + share.part / 1000
      if (claim > lead) [best, lead] = [share, claim]
    }
    const kind = best?.event?.kind ?? 'idle'
    owed.set(kind, (owed.get(kind) ?? 0) - 1)
    return best?.event
  })
}

/** Part of a cell that an event fills; no event: idle. */
type Share = { readonly event: TimedEvent | undefined; readonly part: number }

function cellShares(events: readonly TimedEvent[], cells: number, makespan: number): Share[][] {
  const span = makespan / cells
  const shares = range(cells).map((): Share[] => [])
  const idle = new Float64Array(cells).fill(1)
  for (const event of events) {
    const last = Math.min(cells - 1, Math.ceil(event.end / span) - 1)
    for (let cell = Math.floor(event.start / span); cell <= last; cell++) {
      const part = (Math.min(event.end, (cell + 1) * span) - Math.max(event.start, cell * span)) / span
      shares[cell].push({ event, part })
      idle[cell] -= part
    }
  }
  return shares.map((list, cell) => (idle[cell] > 1e-9 ? [...list, { event: undefined, part: idle[cell] }] : list))
}

function isEncode(kind: TimedKind | 'idle'): boolean {
  return kind === 'E' || kind === 'EB'
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
    ...legendLines(kinds, style),
    wrap(`numbers are microbatches; one column is ${column.replace(/(\.\d{2})\d+/, '$1')}`, style.columns)
  ]
}
