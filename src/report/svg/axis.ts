import { scaleLinear } from 'd3-scale'
import { element, text } from './markup.ts'
import { FAINT, GRID } from './palette.ts'

/** Round values between 0 and `upTo` for an axis with about `count` marks. */
export function niceTicks(upTo: number, count: number): number[] {
  return upTo > 0 ? scaleLinear().domain([0, upTo]).ticks(count) : [0]
}

/** The time axis above the rows: grid lines (in the scaled group) and labels (in the unscaled one). */
export function timeAxis(
  horizon: number,
  ticksPerUnit: number,
  x: (tick: number) => number,
  top: number,
  bottom: number
): { readonly lines: string; readonly labels: string } {
  const marks = niceTicks(horizon / ticksPerUnit, 10).map(value => ({ value, at: x(value * ticksPerUnit) }))
  const lines = marks.map(({ at }) =>
    element('line', { x1: at, x2: at, y1: top - 4, y2: bottom, stroke: GRID, 'vector-effect': 'non-scaling-stroke' })
  )
  const labels = marks.map(({ value, at }) =>
    element(
      'text',
      { x: at, y: top - 8, 'data-x': at, 'text-anchor': 'middle', 'font-size': 11, fill: FAINT },
      text(value.toLocaleString('en-US'))
    )
  )
  return { lines: lines.join(''), labels: labels.join('') }
}
