import { showBytes } from '../../base/bytes.ts'
import { wrap } from '../../base/wrap.ts'
import type { Byte, Tick } from '../../schedule/measured.ts'
import { type Scale, timeColumn } from '../../schedule/quantities.ts'
import { dim } from './glyphs.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** Rows beyond this are counted, not listed. */
const MAX_ROWS = 60

/** The front of makespan against peak memory, ready to be printed. Times in ticks. */
export type FrontView = Scale & {
  readonly points: readonly {
    /** Largest peak of any rank. */
    readonly peak: Byte
    readonly makespan: Tick
    readonly lowerBound: Tick
    readonly status: 'optimal' | 'feasible'
    /** What proves the bound. */
    readonly proof?: string
  }[]
  readonly complete: boolean
  /** Why nothing has a smaller peak than the last point. */
  readonly end?: string
}

/** One row per point, shortest first, and what is known of what is left out. */
export function frontText(view: FrontView, style: Style): string {
  const shown = view.points.slice(0, MAX_ROWS)
  const makespans = timeColumn(
    shown.map(point => point.makespan),
    view
  )
  const bounds = timeColumn(
    shown.map(point => point.lowerBound),
    view
  )
  const rows = shown.map((point, index) => [
    showBytes(point.peak),
    makespans.cells[index],
    bounds.cells[index],
    point.status === 'optimal' ? `proved by ${point.proof ?? 'its bound'}` : 'not proved'
  ])
  const header = ['peak memory', `makespan, ${makespans.unit}`, `lower bound, ${bounds.unit}`, '']
  const hidden = view.points.length - shown.length
  const table = grid(header, rows, style, ['right', 'right', 'right'], (line, row) =>
    row < 0 ? dim(line, style) : line
  )
  const more = hidden > 0 ? `  ... and ${hidden} more points\n` : ''
  return `makespan against peak memory (the largest peak of a rank)\n${table}${more}${wrap(closing(view), style.columns, '  ')}\n`
}

function closing({ points, complete, end }: FrontView): string {
  if (points.length === 0) return 'no schedule was found'
  if (complete && end === undefined) return 'complete: every point is proved, and the last one needs no memory'
  if (complete) return `complete: every point is proved, and with less memory nothing fits: ${end}`
  return end === undefined
    ? 'not complete: a limit came before it was shown that nothing fits with less memory'
    : `not every point is proved; with less memory nothing fits: ${end}`
}
