import type { Picture } from '../picture.ts'
import type { Layout } from './layout.ts'
import { element } from './markup.ts'
import { CRITICAL } from './palette.ts'

/** The critical path as a line along the lower edge of its events, from the first start to the makespan. */
export function criticalLine(picture: Picture, layout: Layout): string {
  if (picture.critical.length === 0) return ''
  const points = picture.critical.flatMap(step => {
    const y = layout.rowTop(step.rank) + layout.rowHeight - 4
    return [`${round(layout.x(step.start))},${y}`, `${round(layout.x(step.end))},${y}`]
  })
  const line = (stroke: string, width: number, opacity?: number) =>
    element('polyline', {
      points: points.join(' '),
      fill: 'none',
      stroke,
      'stroke-width': width,
      'stroke-opacity': opacity,
      'stroke-linejoin': 'round',
      'vector-effect': 'non-scaling-stroke'
    })
  return element('g', { class: 'critical', 'pointer-events': 'none' }, line('#ffffff', 3.5, 0.7), line(CRITICAL, 1.75))
}

function round(pixels: number): number {
  return Math.round(pixels * 100) / 100
}
