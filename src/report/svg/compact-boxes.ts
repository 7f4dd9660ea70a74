import type { TimedKind } from '../../schedule/document.ts'
import type { Box, Picture } from '../picture.ts'
import { boxLabel, halfOf, opacityOf } from './boxes.ts'
import { chunkIndex, type Layout } from './layout.ts'
import { element, text } from './markup.ts'
import { CRITICAL, LOOKS } from './palette.ts'

/** Boxes that look the same, as one path of thick lines. */
type Group = { readonly kind: TimedKind; readonly chunk: number; readonly half: boolean; d: string }

/** Pixels that a box leaves free at its right, so that neighbours stay apart. */
const GAP = 0.6

/** All events as one path per look: about 15 characters an event. Critical ones have an outline. */
export function compactBoxes(picture: Picture, layout: Layout, hatch: string): string {
  const chunkOf = chunkIndex(picture)
  const groups = new Map<string, Group>()
  let outlines = ''
  for (const box of picture.boxes) {
    const chunk = box.stage === undefined ? 0 : chunkOf(box.rank, box.stage)
    const key = `${box.kind}/${chunk}/${box.half ?? ''}`
    const group = groups.get(key) ?? { kind: box.kind, chunk, half: box.half !== undefined, d: '' }
    groups.set(key, group)
    group.d += lineOf(box, layout)
    if (box.critical) outlines += outlineOf(box, layout)
  }
  const paths = [...groups.values()].map(group => pathOf(group, layout, hatch))
  const outline = outlines
    ? element('path', {
        d: outlines,
        fill: 'none',
        stroke: CRITICAL,
        'stroke-width': 2,
        'vector-effect': 'non-scaling-stroke'
      })
    : ''
  return paths.join('') + outline
}

function lineOf(box: Box, layout: Layout): string {
  const { y, height } = halfOf(box, layout)
  const width = layout.x(box.end - box.start)
  return `M${short(layout.x(box.start))} ${short(y + height / 2)}h${short(Math.max(width - GAP, width / 2))}`
}

function outlineOf(box: Box, layout: Layout): string {
  const { y, height } = halfOf(box, layout)
  const width = short(layout.x(box.end - box.start))
  return `M${short(layout.x(box.start))} ${short(y)}h${width}v${short(height)}h-${width}z`
}

function pathOf({ kind, chunk, half, d }: Group, layout: Layout, hatch: string): string {
  const { fill, hatched } = LOOKS[kind]
  const line = (stroke: string) =>
    element('path', {
      d,
      fill: 'none',
      stroke,
      'stroke-width': half ? layout.rowHeight / 2 : layout.rowHeight,
      'stroke-opacity': opacityOf(chunk)
    })
  return line(fill) + (hatched ? line(`url(#${hatch})`) : '')
}

/** The labels that fit at this scale. */
export function compactLabels(picture: Picture, layout: Layout): string {
  const chunkOf = chunkIndex(picture)
  const withStage = picture.boxes.some(({ rank, stage }) => stage !== undefined && chunkOf(rank, stage) > 0)
  const labels = picture.boxes.map(box => {
    const label = boxLabel(box, layout.x(box.end - box.start), withStage)
    if (label === '') return ''
    const { y, height } = halfOf(box, layout)
    const ink = LOOKS[box.kind].ink
    return element(
      'text',
      {
        x: short(layout.x((box.start + box.end) / 2)),
        y: short(y + height / 2 + 4),
        fill: ink === '#000000' ? undefined : ink
      },
      text(label)
    )
  })
  return element(
    'g',
    { class: 'labels', 'text-anchor': 'middle', 'font-size': 11, 'data-stages': withStage },
    ...labels
  )
}

/** Pixels with one decimal. */
function short(pixels: number): number {
  return Math.round(pixels * 10) / 10
}
