import { range } from '../../base/arrays.ts'
import { element, text } from '../svg/markup.ts'
import { FAINT, INK } from '../svg/palette.ts'
import { axes, type ChartLabels, chartDocument } from './chart.ts'
import { marker, seriesLook } from './mark.ts'

/** A named point; less is better in both directions. */
export type NamedPoint = { readonly name: string; readonly x: number; readonly y: number }

/** Points that no other point beats or equals in both directions and beats in one, by ascending x. */
export function paretoFront(points: readonly NamedPoint[]): NamedPoint[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y)
  return sorted.filter((point, index) => sorted.slice(0, index).every(before => before.y > point.y))
}

/** A scatter of named points with their Pareto front as a step line; points at one place share a label. */
export function paretoChart(labels: ChartLabels, points: readonly NamedPoint[]): string {
  const plot = axes(
    labels,
    points.map(p => p.x),
    points.map(p => p.y),
    { width: 760, height: 420 }
  )
  const front = paretoFront(points)
  const onFront = new Set(front)
  const steps = front.flatMap((point, index) => {
    const before = front[index - 1]
    return [...(before ? [[plot.x(point.x), plot.y(before.y)]] : []), [plot.x(point.x), plot.y(point.y)]]
  })
  const line = element('polyline', {
    points: steps.map(([x, y]) => `${round(x)},${round(y)}`).join(' '),
    fill: 'none',
    stroke: INK,
    'stroke-width': 1.5
  })
  const marks = points.map(point =>
    marker(
      plot.x(point.x),
      plot.y(point.y),
      { ...seriesLook(0), marker: onFront.has(point) ? 0 : 2, colour: onFront.has(point) ? '#0072b2' : '#9a9a9a' },
      text(point.name)
    )
  )
  return chartDocument(plot, labels, line, ...marks, ...pointLabels(points, plot))
}

type Spot = { readonly x: number; readonly y: number; readonly width: number }

/** Labels beside their points: at the nearest place that no label and no other point takes, inside of the frame. */
function pointLabels(points: readonly NamedPoint[], plot: ReturnType<typeof axes>): string[] {
  const placed: Spot[] = []
  const marks = points.map(point => ({ x: plot.x(point.x) - 7, y: plot.y(point.y) + 5, width: 14 }))
  const sorted = [...points].sort((a, b) => plot.y(a.y) - plot.y(b.y) || a.x - b.x)
  return sorted.map(point => {
    const width = point.name.length * 6.4
    const [left, right] = [plot.x(point.x) - 9 - width, plot.x(point.x) + 9]
    const spots = SHIFTS.flatMap(shift =>
      [right, left].map(x => ({ x, y: plot.y(point.y) - 7 + 11 * shift, width }))
    ).filter(spot => plot.holds(spot))
    const free = (spot: Spot) => ![...placed, ...marks].some(other => overlap(spot, other))
    const spot = spots.find(free) ?? { x: right, y: plot.y(point.y) - 7, width }
    placed.push(spot)
    const side = spot.x === left ? { x: left + width, 'text-anchor': 'end' } : { x: right }
    return element('text', { ...side, y: spot.y, 'font-size': 11, fill: FAINT }, text(point.name))
  })
}

/** Lines up and down from its point that a label may move. */
const SHIFTS = range(17).map(index => (index % 2 === 0 ? -index / 2 : (index + 1) / 2))

function overlap(a: Spot, b: Spot): boolean {
  return Math.abs(a.y - b.y) < 11 && a.x < b.x + b.width && b.x < a.x + a.width
}

function round(pixels: number): number {
  return Math.round(pixels * 100) / 100
}
