import type { TimedKind } from '../../schedule/document.ts'
import type { Picture } from '../picture.ts'
import { element, text } from './markup.ts'
import { CRITICAL, FAINT, GRID, IDLE, INK, LIMIT, LOOKS } from './palette.ts'

const ORDER: readonly TimedKind[] = ['F', 'B', 'I', 'W', 'E', 'EB']

/** What the colours, the letters and the lines mean; only what the picture shows. */
export function legend(picture: Picture, x: number, y: number, hatch: string): string {
  const kinds = new Set(picture.boxes.map(box => box.kind))
  const swatches = ORDER.filter(kind => kinds.has(kind)).map(kind => ({
    words: `${kind} ${LOOKS[kind].words}`,
    mark: (at: number) => swatch(at, y, LOOKS[kind].fill, LOOKS[kind].hatched ? hatch : undefined)
  }))
  const lines = [
    { words: 'idle', mark: (at: number) => swatch(at, y, IDLE) },
    ...(picture.critical.length > 0
      ? [{ words: 'critical path', mark: (at: number) => dash(at, y, CRITICAL, 2) }]
      : []),
    ...(picture.memory.some(curve => curve.capacity !== undefined)
      ? [{ words: 'memory limit', mark: (at: number) => dash(at, y, LIMIT, 1.25, '5 3') }]
      : []),
    ...(picture.beside.length > 0
      ? [{ words: 'broadcast or reduction', mark: (at: number) => dash(at, y, '#7a7a7a', 5) }]
      : [])
  ]
  let at = x
  const parts = [...swatches, ...lines].map(entry => {
    const here = at
    at += 26 + entry.words.length * 6.1 + 14
    const label = element('text', { x: here + 24, y: y + 10, 'font-size': 11, fill: INK }, text(entry.words))
    return entry.mark(here) + label
  })
  return element('g', { class: 'legend', fill: FAINT }, ...parts)
}

function swatch(x: number, y: number, fill: string, hatch?: string): string {
  const place = { x, y, width: 18, height: 12 }
  const over = hatch ? element('rect', { ...place, fill: `url(#${hatch})` }) : ''
  return element('rect', { ...place, fill, stroke: GRID }) + over
}

function dash(x: number, y: number, stroke: string, width: number, dashes?: string): string {
  return element('line', {
    x1: x,
    x2: x + 18,
    y1: y + 6,
    y2: y + 6,
    stroke,
    'stroke-width': width,
    'stroke-dasharray': dashes
  })
}
