import { element } from '../svg/markup.ts'
import { SERIES_COLOURS } from '../svg/palette.ts'

/** Looks of a series: colour, dash and marker, so that it can be told apart without colour. */
export type SeriesLook = { readonly colour: string; readonly dash: string | undefined; readonly marker: number }

const DASHES = [undefined, '6 3', '2 3', '8 3 2 3'] as const

/** Look of the series with this index; no two of the first 28 are alike. */
export function seriesLook(index: number): SeriesLook {
  return {
    colour: SERIES_COLOURS[index % SERIES_COLOURS.length],
    dash: DASHES[Math.floor(index / SERIES_COLOURS.length) % DASHES.length],
    marker: index % 4
  }
}

/** A marker: circle, square, diamond or triangle. */
export function marker(x: number, y: number, { colour, marker: shape }: SeriesLook, title: string): string {
  const label = element('title', {}, title)
  const look = { fill: colour, stroke: '#ffffff', 'stroke-width': 1 }
  const polygon = (points: readonly (readonly [number, number])[]) =>
    element(
      'polygon',
      { points: points.map(([dx, dy]) => `${round(x + dx)},${round(y + dy)}`).join(' '), ...look },
      label
    )
  switch (shape) {
    case 1:
      return polygon([
        [-4.5, -4.5],
        [4.5, -4.5],
        [4.5, 4.5],
        [-4.5, 4.5]
      ])
    case 2:
      return polygon([
        [0, -6],
        [6, 0],
        [0, 6],
        [-6, 0]
      ])
    case 3:
      return polygon([
        [0, -6],
        [5.5, 4.5],
        [-5.5, 4.5]
      ])
    default:
      return element('circle', { cx: x, cy: y, r: 5, ...look }, label)
  }
}

function round(pixels: number): number {
  return Math.round(pixels * 100) / 100
}
