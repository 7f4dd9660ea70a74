import { scaleLinear } from 'd3-scale'
import type { TimeUnit } from '../../schedule/quantities.ts'
import { element, text } from './markup.ts'
import { FAINT, GRID } from './palette.ts'

/** Round values between 0 and `upTo` for an axis with about `count` marks. */
export function niceTicks(upTo: number, count: number): number[] {
  return upTo > 0 ? scaleLinear().domain([0, upTo]).ticks(count) : [0]
}

/** The time axis above the rows: grid lines (in the scaled group), labels (in the unscaled one), and the unit's name. */
export function timeAxis(
  horizon: number,
  unit: TimeUnit,
  x: (tick: number) => number,
  top: number,
  bottom: number
): { readonly lines: string; readonly labels: string; readonly name: string } {
  const marks = niceTicks(horizon * unit.perTick, 10).map(value => ({ value, at: x(value / unit.perTick) }))
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
  const name = element(
    'text',
    { x: -8, y: top - 8, 'text-anchor': 'end', 'font-size': 11, fill: FAINT },
    text(unit.name)
  )
  return { lines: lines.join(''), labels: labels.join(''), name }
}
