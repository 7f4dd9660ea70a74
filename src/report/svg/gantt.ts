import { range, sum } from '../../base/arrays.ts'
import { showPercent, timeText, timeUnit } from '../../schedule/quantities.ts'
import type { Picture } from '../picture.ts'
import { timeAxis } from './axis.ts'
import { besideMarkup, boxMarkup, idleMarkup, labelMarkup } from './boxes.ts'
import { compactBoxes, compactLabels } from './compact-boxes.ts'
import { causesOf, eventText, factText, idleText } from './compact-data.ts'
import { criticalLine } from './critical.ts'
import { chunkIndex, type Layout, layoutOf } from './layout.ts'
import { legend } from './legend.ts'
import { type Attributes, element, text } from './markup.ts'
import { memoryStrips } from './memory-strip.ts'
import { FAINT, IDLE, INK, PAPER } from './palette.ts'

export type GanttOptions = {
  readonly title: string
  /** Pixels; the height follows from the ranks. Default 1200. */
  readonly width?: number
  /** Tick at the right edge, so that several pictures share one scale. Default: the makespan. */
  readonly horizon?: number
  /** Prefix of the ids inside, for several pictures in one page. */
  readonly prefix?: string
  /**
   * For a page whose script says what an event is: events in few paths, and as text in data attributes, in place of one
   * element with its own description per event.
   */
  readonly compact?: boolean
}

export const FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

/**
 * A schedule as an SVG Gantt chart: ranks from top to bottom, time from left to right, a memory strip under each rank
 * where the memory is known, the critical path drawn through it. Every text is escaped; nothing is loaded.
 */
export function gantt(picture: Picture, options: GanttOptions): string {
  const horizon = Math.max(options.horizon ?? 0, picture.makespan)
  const layout = layoutOf(picture, options.width ?? 1200, horizon)
  const prefix = options.prefix ?? 'gantt'
  const hatch = `${prefix}-hatch`
  const axis = timeAxis(horizon, timeUnit(horizon, picture), layout.x, layout.top, layout.bottom - 6)
  const memory = memoryStrips(picture, layout, options.compact ?? false)
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'gantt',
      viewBox: `0 0 ${layout.width} ${layout.height}`,
      width: layout.width,
      height: layout.height,
      role: 'img',
      'aria-labelledby': `${prefix}-title ${prefix}-desc`,
      'font-family': FONT,
      'data-left': layout.left,
      'data-plot': layout.plot,
      ...(options.compact ? scriptData(picture, layout, horizon) : {})
    },
    element('title', { id: `${prefix}-title` }, text(options.title)),
    element('desc', { id: `${prefix}-desc` }, text(summary(picture))),
    element('defs', {}, hatchPattern(hatch)),
    element('rect', { class: 'paper', width: layout.width, height: layout.height, fill: PAPER }),
    plot(picture, layout, hatch, axis, memory.curves, options.compact ?? false),
    margins(picture, layout, memory.labels, axis.name),
    header(picture, options.title),
    legend(picture, layout.left, layout.bottom + 14, hatch)
  )
}

/** What the script of a page reads: events, idle intervals, scale and geometry. */
function scriptData(picture: Picture, layout: Layout, horizon: number): Attributes {
  const causes = causesOf(picture)
  return {
    'data-events': eventText(picture),
    'data-idle': idleText(picture, causes),
    'data-facts': factText(picture, causes, horizon),
    'data-top': layout.top,
    'data-pitch': layout.rowTop(1) - layout.rowTop(0),
    'data-row': layout.rowHeight
  }
}

/** The figures that every picture states, each with the definition it follows. */
export function summary(picture: Picture): string {
  const size = `P = ${picture.ranks} ranks, M = ${picture.microbatches} microbatches`
  const idle = picture.makespan > 0 ? showPercent(idleShare(picture)) : '0.0 %'
  return `makespan ${timeText(picture.makespan, picture)} · bubble over makespan (idle / (P x makespan)) ${idle} · ${size}`
}

function idleShare(picture: Picture): number {
  const busy = sum(picture.boxes.map(boxTicks))
  return 1 - busy / (picture.ranks * picture.makespan)
}

/** Ticks of its rank that an event takes: of an overlapped pair, the first counts for both. */
function boxTicks({ start, end, half }: Picture['boxes'][number]): number {
  return half === 'lower' ? 0 : end - start
}

type Axis = ReturnType<typeof timeAxis>

function plot(picture: Picture, layout: Layout, hatch: string, axis: Axis, curves: string, compact: boolean): string {
  const rows = range(picture.ranks).map(rank =>
    element('rect', {
      x: 0,
      y: layout.rowTop(rank),
      width: layout.x(picture.makespan),
      height: layout.rowHeight,
      fill: IDLE
    })
  )
  const scaled = [
    ...rows,
    axis.lines,
    compact ? compactBoxes(picture, layout, hatch) : everyBox(picture, layout, hatch),
    ...picture.beside.map(bar => besideMarkup(bar, picture, layout)),
    curves,
    criticalLine(picture, layout)
  ]
  return element(
    'g',
    { class: 'plot', transform: `translate(${layout.left} 0)` },
    element('g', { class: 'scaled' }, ...scaled),
    element(
      'g',
      { class: 'texts', 'pointer-events': 'none' },
      axis.labels,
      (compact ? compactLabels : labelMarkup)(picture, layout)
    )
  )
}

/** Every idle interval and event as an element of its own, with its description as title. */
function everyBox(picture: Picture, layout: Layout, hatch: string): string {
  const chunkOf = chunkIndex(picture)
  return [
    ...picture.idle.map(idle => idleMarkup(idle, picture, layout)),
    ...picture.boxes.map(box =>
      boxMarkup(box, picture, layout, box.stage === undefined ? 0 : chunkOf(box.rank, box.stage), hatch)
    )
  ].join('')
}

/** Rank names on the left; how busy each rank is, and its peak, on the right. */
function margins(picture: Picture, layout: Layout, peaks: string, unit: string): string {
  const busy = range(picture.ranks).map(() => 0)
  for (const box of picture.boxes) busy[box.rank] += boxTicks(box)
  const middle = (rank: number) => layout.rowTop(rank) + layout.rowHeight / 2 + 4
  const names = range(picture.ranks).map(rank =>
    element('text', { x: 8, y: middle(rank), 'font-size': 12, fill: INK }, text(`rank ${rank}`))
  )
  const shares = busy.map((ticks, rank) =>
    element(
      'text',
      { x: layout.width - 6, y: middle(rank), 'text-anchor': 'end', 'font-size': 11, fill: FAINT },
      text(picture.makespan > 0 ? `${showPercent(ticks / picture.makespan)} busy` : '')
    )
  )
  const cover = (x: number, width: number) =>
    element('rect', { x, y: layout.top - 24, width, height: layout.bottom - layout.top + 24, fill: PAPER })
  return [
    element(
      'g',
      { class: 'left' },
      cover(0, layout.left - 8),
      ...names,
      element('g', { transform: `translate(${layout.left} 0)` }, unit)
    ),
    element('g', { class: 'right' }, cover(layout.left + layout.plot + 1, layout.width), ...shares, peaks)
  ].join('')
}

function header(picture: Picture, title: string): string {
  return element(
    'g',
    { class: 'header' },
    element('text', { x: 8, y: 22, 'font-size': 16, 'font-weight': 'bold', fill: INK }, text(title)),
    element('text', { x: 8, y: 40, 'font-size': 12, fill: FAINT }, text(summary(picture)))
  )
}

function hatchPattern(id: string): string {
  return element(
    'pattern',
    { id, width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    element('line', { x1: 0, y1: 0, x2: 0, y2: 6, stroke: '#ffffff', 'stroke-width': 1.5, 'stroke-opacity': 0.4 })
  )
}
