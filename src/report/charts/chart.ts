import { scaleLinear } from 'd3-scale'
import { FONT } from '../svg/gantt.ts'
import { element, text } from '../svg/markup.ts'
import { FAINT, GRID, INK, PAPER } from '../svg/palette.ts'

/** What a chart is about, and what its axes measure, units included. */
export type ChartLabels = { readonly title: string; readonly x: string; readonly y: string }

/** Linear axes over a plot area, in pixels. */
export type Axes = {
  readonly width: number
  readonly height: number
  readonly x: (value: number) => number
  readonly y: (value: number) => number
  readonly frame: string
  /** Whether a line of text of this width, on this base line, lies inside of the frame. */
  readonly holds: (line: { readonly x: number; readonly y: number; readonly width: number }) => boolean
}

const [LEFT, RIGHT, TOP, BOTTOM] = [70, 20, 44, 48] as const

/** Axes that hold all values with room to spare; `fromZero` makes y start at 0. */
export function axes(
  labels: ChartLabels,
  xs: readonly number[],
  ys: readonly number[],
  size: { readonly width: number; readonly height: number; readonly right?: number }
): Axes {
  const { width, height } = size
  const right = width - (size.right ?? RIGHT)
  const x = scaleLinear().domain(padded(xs)).nice(6).range([LEFT, right])
  const y = scaleLinear()
    .domain(padded(ys))
    .nice(6)
    .range([height - BOTTOM, TOP])
  const label = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 6 })
  const small = { 'font-size': 11, fill: FAINT }
  const rows = y
    .ticks(6)
    .map(value => [
      element('line', { x1: LEFT, x2: right, y1: y(value), y2: y(value), stroke: GRID }),
      element('text', { x: LEFT - 8, y: y(value) + 4, 'text-anchor': 'end', ...small }, text(label(value)))
    ])
  const columns = x
    .ticks(6)
    .map(value => [
      element('line', { x1: x(value), x2: x(value), y1: TOP, y2: height - BOTTOM, stroke: GRID }),
      element('text', { x: x(value), y: height - BOTTOM + 16, 'text-anchor': 'middle', ...small }, text(label(value)))
    ])
  const middle = (TOP + height - BOTTOM) / 2
  const words = [
    element('text', { x: LEFT, y: 22, 'font-size': 15, 'font-weight': 'bold', fill: INK }, text(labels.title)),
    element(
      'text',
      { x: (LEFT + right) / 2, y: height - 12, 'text-anchor': 'middle', 'font-size': 12, fill: INK },
      text(labels.x)
    ),
    element(
      'text',
      { x: 16, y: middle, 'text-anchor': 'middle', transform: `rotate(-90 16 ${middle})`, 'font-size': 12, fill: INK },
      text(labels.y)
    )
  ]
  const holds: Axes['holds'] = line =>
    line.x > LEFT && line.x + line.width < right && line.y - 9 > TOP && line.y + 2 < height - BOTTOM
  return { width, height, x, y, frame: [...rows.flat(), ...columns.flat(), ...words].join(''), holds }
}

/** The chart as a document: paper, axes, then what is drawn on them. */
export function chartDocument(
  { width, height, frame }: Axes,
  labels: ChartLabels,
  ...content: readonly string[]
): string {
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'chart',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'aria-label': labels.title,
      'font-family': FONT
    },
    element('title', {}, text(`${labels.title}: ${labels.y} against ${labels.x}`)),
    element('rect', { width, height, fill: PAPER }),
    frame,
    ...content
  )
}

/** Smallest and largest value with 5 % of room; one value gets room of its own. */
function padded(values: readonly number[]): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const room = high > low ? (high - low) * 0.05 : Math.max(1, Math.abs(high)) * 0.1
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room]
}
