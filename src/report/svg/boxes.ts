import { partSuffix, partWords } from '../../schedule/label.ts'
import { timeText } from '../../schedule/quantities.ts'
import type { Beside, Box, Idle, Picture } from '../picture.ts'
import { chunkIndex, type Layout } from './layout.ts'
import { element, text } from './markup.ts'
import { CRITICAL, IDLE, LOOKS } from './palette.ts'

/** Approximate width of a character of an 11 px label. */
const CHARACTER = 6.8

/** What hovering an event says: kind, region, stage, microbatch, rank, times. */
export function describeBox(box: Box, picture: Picture): string {
  const where = box.stage === undefined ? box.region : `${box.region} stage ${box.stage}`
  const time = `${timeText(box.start, picture)} to ${timeText(box.end, picture)} (${timeText(box.end - box.start, picture)})`
  return [
    `${LOOKS[box.kind].words} of microbatch ${box.microbatch}${partWords(box)}`,
    where,
    `rank ${box.rank}`,
    time,
    ...(box.half ? ['overlapped'] : []),
    ...(box.critical ? ['on the critical path'] : [])
  ].join(' · ')
}

/** The longest label that fits: kind, microbatch and stage; kind and microbatch; microbatch; none. */
export function boxLabel(box: Box, width: number, withStage: boolean): string {
  const short = `${box.kind}${box.microbatch}${partSuffix(box)}`
  const options = [
    ...(withStage && box.stage !== undefined ? [`${box.stage}${short}`] : []),
    short,
    String(box.microbatch)
  ]
  return options.find(label => label.length * CHARACTER + 2 <= width) ?? ''
}

/** Where an event stands in its rank's row: an overlapped pair shares it. */
export function halfOf({ rank, half }: Pick<Box, 'rank' | 'half'>, layout: Layout): { y: number; height: number } {
  const height = half ? layout.rowHeight / 2 : layout.rowHeight
  return { y: layout.rowTop(rank) + (half === 'lower' ? height : 0), height }
}

/** Later chunks of a rank are lighter; undefined for the first. */
export function opacityOf(chunk: number): number | undefined {
  return chunk > 0 ? Math.max(0.4, 1 - 0.3 * chunk) : undefined
}

/** One event: its rectangle (hatched over the fill for encoder work) with the description as title. */
export function boxMarkup(box: Box, picture: Picture, layout: Layout, chunk: number, hatch: string): string {
  const look = LOOKS[box.kind]
  const { y, height } = halfOf(box, layout)
  const place = { x: layout.x(box.start), y, width: layout.x(box.end - box.start), height }
  const fill = element('rect', {
    ...place,
    fill: look.fill,
    'fill-opacity': opacityOf(chunk),
    stroke: box.critical ? CRITICAL : '#ffffff',
    'stroke-width': box.critical ? 2 : 0.75,
    'vector-effect': 'non-scaling-stroke'
  })
  const over = look.hatched ? element('rect', { ...place, fill: `url(#${hatch})` }) : ''
  const title = element('title', {}, text(describeBox(box, picture)))
  return element('g', { class: 'event', 'data-rank': box.rank, 'data-start': box.start }, title, fill, over)
}

/** Labels of the events, in the unscaled group; `data-x` and `data-room` let a zoom place and show them again. */
export function labelMarkup(picture: Picture, layout: Layout): string {
  const chunkOf = chunkIndex(picture)
  const withStage = picture.boxes.some(({ rank, stage }) => stage !== undefined && chunkOf(rank, stage) > 0)
  return picture.boxes
    .map(box => {
      const room = layout.x(box.end - box.start)
      const full = boxLabel(box, Number.POSITIVE_INFINITY, withStage)
      const x = layout.x((box.start + box.end) / 2)
      const { y, height } = halfOf(box, layout)
      return element(
        'text',
        {
          x,
          y: y + height / 2 + 4,
          'data-x': x,
          'data-room': room,
          'data-full': full,
          'data-short': `${box.kind}${box.microbatch}${partSuffix(box)}`,
          'data-last': box.microbatch,
          'text-anchor': 'middle',
          'font-size': 11,
          fill: LOOKS[box.kind].ink
        },
        text(boxLabel(box, room, withStage))
      )
    })
    .join('')
}

/** Idle time behind the events, with its cause as title where it is known. */
export function idleMarkup(idle: Idle, picture: Picture, layout: Layout): string {
  const place = {
    x: layout.x(idle.start),
    y: layout.rowTop(idle.rank),
    width: layout.x(idle.end - idle.start),
    height: layout.rowHeight
  }
  const said = `idle · rank ${idle.rank} · ${timeText(idle.start, picture)} to ${timeText(idle.end, picture)} · ${idle.cause}`
  return element(
    'g',
    { class: 'idle', 'data-rank': idle.rank, 'data-start': idle.start },
    element('title', {}, text(said)),
    element('rect', { ...place, fill: IDLE })
  )
}

/** A broadcast or reduction: a thin bar under the events of its rank. */
export function besideMarkup(bar: Beside, picture: Picture, layout: Layout): string {
  const said = `${bar.kind.toLowerCase()} of ${bar.region} · ${timeText(bar.start, picture)} to ${timeText(bar.end, picture)}`
  return element(
    'g',
    { class: 'beside' },
    element('title', {}, text(said)),
    element('rect', {
      x: layout.x(bar.start),
      y: layout.rowTop(bar.rank) + layout.rowHeight - 3,
      width: layout.x(bar.end - bar.start),
      height: 5,
      fill: '#7a7a7a'
    })
  )
}
