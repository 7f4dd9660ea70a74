import { line as shapeLine } from 'd3-shape'
import { element, text } from '../svg/markup.ts'
import { INK } from '../svg/palette.ts'
import { axes, type ChartLabels, chartDocument } from './chart.ts'
import { marker, seriesLook } from './mark.ts'

/** A line of a chart. */
export type Series = { readonly name: string; readonly points: readonly { readonly x: number; readonly y: number }[] }

/** Lines with markers and a legend on the right, e.g. speedup against encoder share. Points are drawn by ascending x. */
export function lineChart(labels: ChartLabels, series: readonly Series[]): string {
  const all = series.flatMap(one => one.points)
  const right = 24 + Math.max(0, ...series.map(one => one.name.length)) * 6.6 + 30
  const plot = axes(
    labels,
    all.map(p => p.x),
    all.map(p => p.y),
    { width: 640 + right, height: 400, right }
  )
  const drawn = series.map((one, index) => {
    const look = seriesLook(index)
    const points = [...one.points].sort((a, b) => a.x - b.x)
    const path = shapeLine<{ x: number; y: number }>(
      p => round(plot.x(p.x)),
      p => round(plot.y(p.y))
    )(points)
    const stroke = { fill: 'none', stroke: look.colour, 'stroke-width': 2, 'stroke-dasharray': look.dash }
    const marks = points.map(p => marker(plot.x(p.x), plot.y(p.y), look, text(`${one.name}: ${p.x}, ${round(p.y)}`)))
    return element('g', {}, element('path', { d: path ?? '', ...stroke }), ...marks)
  })
  const legend = series.map((one, index) => {
    const [x, y, look] = [plot.width - right + 16, 52 + index * 18, seriesLook(index)]
    return [
      element('line', {
        x1: x,
        x2: x + 24,
        y1: y,
        y2: y,
        stroke: look.colour,
        'stroke-width': 2,
        'stroke-dasharray': look.dash
      }),
      marker(x + 12, y, look, text(one.name)),
      element('text', { x: x + 30, y: y + 4, 'font-size': 11, fill: INK }, text(one.name))
    ].join('')
  })
  return chartDocument(plot, labels, ...drawn, ...legend)
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
