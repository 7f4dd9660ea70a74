import { curveStepAfter, area as shapeArea, line as shapeLine } from 'd3-shape'
import { range } from '../../base/arrays.ts'
import { showBytes } from '../../base/bytes.ts'
import { timeText } from '../../schedule/quantities.ts'
import type { MemoryCurve, Picture } from '../picture.ts'
import type { Layout } from './layout.ts'
import { element, text } from './markup.ts'
import { FAINT, LIMIT, MEMORY } from './palette.ts'

/**
 * Memory curves of all ranks on one scale, each with its limit as a dashed line, and the labels beside them. `compact`
 * ones are one path each, to a tenth of a pixel.
 */
export function memoryStrips(
  picture: Picture,
  layout: Layout,
  compact: boolean
): { readonly curves: string; readonly labels: string } {
  const top = Math.max(1, ...picture.memory.map(curve => Math.max(curve.peak, curve.capacity ?? 0)))
  const strips = range(picture.memory.length).map(rank => strip(picture, layout, rank, top, compact))
  return {
    curves: strips.map(one => one.curve).join(''),
    labels: strips.map(one => one.label).join('')
  }
}

function strip(picture: Picture, layout: Layout, rank: number, top: number, compact: boolean) {
  const curve = picture.memory[rank]
  const base = layout.memoryTop(rank) + layout.memoryHeight
  const y = (bytes: number) => base - (bytes / top) * layout.memoryHeight
  const points = curvePoints(curve, picture.makespan)
  const steady = { 'vector-effect': 'non-scaling-stroke', fill: 'none' }
  const limit =
    curve.capacity === undefined
      ? ''
      : element('line', {
          x1: 0,
          x2: layout.x(picture.makespan),
          y1: y(curve.capacity),
          y2: y(curve.capacity),
          stroke: LIMIT,
          'stroke-dasharray': '5 3',
          'stroke-width': 1.25,
          ...steady
        })
  return {
    curve: element(
      'g',
      { class: 'memory' },
      element('title', {}, text(describeMemory(curve, picture, rank))),
      ...(compact
        ? [element('path', { d: stairs(points, layout, y, base), ...STROKE, ...steady, fill: FILL })]
        : [
            element('path', { d: areaOf(points, layout, y, base), fill: FILL }),
            element('path', { d: lineOf(points, layout, y), ...STROKE, ...steady })
          ]),
      limit
    ),
    label: element(
      'text',
      {
        x: layout.width - 6,
        y: base - layout.memoryHeight / 2 + 4,
        'text-anchor': 'end',
        'font-size': 10,
        fill: FAINT
      },
      text(`peak ${showBytes(curve.peak)}`)
    )
  }
}

const FILL = MEMORY.fill
const STROKE = { stroke: MEMORY.stroke, 'stroke-width': 1 }

type Height = (bytes: number) => number

function areaOf(points: readonly Point[], layout: Layout, y: Height, base: number): string {
  const area = shapeArea<Point>(
    p => layout.x(p[0]),
    base,
    p => y(p[1])
  ).curve(curveStepAfter)
  return rounded(area(points as Point[]))
}

function lineOf(points: readonly Point[], layout: Layout, y: Height): string {
  const line = shapeLine<Point>(
    p => layout.x(p[0]),
    p => y(p[1])
  ).curve(curveStepAfter)
  return rounded(line(points as Point[]))
}

/** The area under the curve as steps across and up; of steps within a tenth of a pixel, the highest and the last. */
function stairs(points: readonly Point[], layout: Layout, y: Height, base: number): string {
  const tenths = (pixels: number) => Math.round(pixels * 10) / 10
  const steps: { readonly x: number; highest: number; last: number }[] = []
  for (const [tick, bytes] of points) {
    const [x, top] = [tenths(layout.x(tick)), tenths(y(bytes))]
    const before = steps[steps.length - 1]
    if (before?.x === x) {
      before.highest = Math.min(before.highest, top)
      before.last = top
    } else if (before?.last !== top) steps.push({ x, highest: top, last: top })
  }
  const end = tenths(layout.x(points[points.length - 1][0]))
  const path = steps.map(({ x, highest, last }) => `H${x}V${highest}${last === highest ? '' : `V${last}`}`).join('')
  return `M0 ${tenths(base)}${path}H${end}V${tenths(base)}z`
}

type Point = [tick: number, bytes: number]

/** The curve's corners from 0 to the makespan. */
function curvePoints(curve: MemoryCurve, makespan: number): Point[] {
  const last = curve.steps[curve.steps.length - 1]
  return [...curve.steps.map(step => [step.at, step.bytes] as Point), [makespan, last.bytes]]
}

function describeMemory(curve: MemoryCurve, picture: Picture, rank: number): string {
  const limit = curve.capacity === undefined ? 'no limit' : `limit ${showBytes(curve.capacity)}`
  return `memory of rank ${rank} · peak ${showBytes(curve.peak)} at ${timeText(curve.peakAt, picture)} · ${limit}`
}

/** Path data with two decimals. */
function rounded(path: string | null): string {
  return (path ?? '').replace(/-?\d+\.\d+/g, number => String(Math.round(Number(number) * 100) / 100))
}
