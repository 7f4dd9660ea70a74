import { curveStepAfter, area as shapeArea, line as shapeLine } from 'd3-shape'
import { range } from '../../base/arrays.ts'
import { showBytes } from '../../base/bytes.ts'
import type { MemoryCurve, Picture } from '../picture.ts'
import { showTicks } from '../units.ts'
import type { Layout } from './layout.ts'
import { element, text } from './markup.ts'
import { FAINT, LIMIT } from './palette.ts'

/** Memory curves of all ranks on one scale, each with its limit as a dashed line, and the labels beside them. */
export function memoryStrips(picture: Picture, layout: Layout): { readonly curves: string; readonly labels: string } {
  const top = Math.max(1, ...picture.memory.map(curve => Math.max(curve.peak, curve.capacity ?? 0)))
  const strips = range(picture.memory.length).map(rank => strip(picture, layout, rank, top))
  return {
    curves: strips.map(one => one.curve).join(''),
    labels: strips.map(one => one.label).join('')
  }
}

function strip(picture: Picture, layout: Layout, rank: number, top: number) {
  const curve = picture.memory[rank]
  const base = layout.memoryTop(rank) + layout.memoryHeight
  const y = (bytes: number) => base - (bytes / top) * layout.memoryHeight
  const points = curvePoints(curve, picture.makespan)
  const fill = shapeArea<Point>(
    p => layout.x(p[0]),
    base,
    p => y(p[1])
  ).curve(curveStepAfter)
  const stroke = shapeLine<Point>(
    p => layout.x(p[0]),
    p => y(p[1])
  ).curve(curveStepAfter)
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
      element('path', { d: rounded(fill(points)), fill: '#c6d9e6' }),
      element('path', { d: rounded(stroke(points)), stroke: '#33566e', 'stroke-width': 1, ...steady }),
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

type Point = [tick: number, bytes: number]

/** The curve's corners from 0 to the makespan. */
function curvePoints(curve: MemoryCurve, makespan: number): Point[] {
  const last = curve.steps[curve.steps.length - 1]
  return [...curve.steps.map(step => [step.at, step.bytes] as Point), [makespan, last.bytes]]
}

function describeMemory(curve: MemoryCurve, picture: Picture, rank: number): string {
  const limit = curve.capacity === undefined ? 'no limit' : `limit ${showBytes(curve.capacity)}`
  return `memory of rank ${rank} · peak ${showBytes(curve.peak)} at ${showTicks(curve.peakAt, picture)} · ${limit}`
}

/** Path data with two decimals. */
function rounded(path: string | null): string {
  return (path ?? '').replace(/-?\d+\.\d+/g, number => String(Math.round(Number(number) * 100) / 100))
}
