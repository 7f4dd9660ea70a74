import { range } from '../../base/arrays.ts'
import type { Picture } from '../picture.ts'

/** Pixel geometry of a Gantt chart: margins, rows, and the scale from ticks to pixels. */
export type Layout = {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly plot: number
  readonly top: number
  readonly rowHeight: number
  readonly memoryHeight: number
  /** Pixel x of a tick, measured from the left edge of the plot. */
  readonly x: (tick: number) => number
  /** Pixel y of the top of a rank's row of events, and of its memory strip. */
  readonly rowTop: (rank: number) => number
  readonly memoryTop: (rank: number) => number
  /** Pixel y below the last rank. */
  readonly bottom: number
}

const LEFT = 64
const RIGHT = 104
const TOP = 76
const GAP = 8
const LEGEND = 44

/** Lays a picture out on `width` pixels; `horizon` is the tick at the right edge (default: its makespan). */
export function layoutOf(picture: Picture, width: number, horizon = picture.makespan): Layout {
  const plot = width - LEFT - RIGHT
  const rowHeight = picture.ranks > 32 ? 14 : 24
  const memoryHeight = picture.memory.length > 0 ? (picture.ranks > 32 ? 12 : 26) : 0
  const pitch = rowHeight + (memoryHeight > 0 ? memoryHeight + 3 : 0) + GAP
  const bottom = TOP + picture.ranks * pitch
  return {
    width,
    height: bottom + LEGEND,
    left: LEFT,
    plot,
    top: TOP,
    rowHeight,
    memoryHeight,
    x: tick => (horizon > 0 ? (tick / horizon) * plot : 0),
    rowTop: rank => TOP + rank * pitch,
    memoryTop: rank => TOP + rank * pitch + rowHeight + 3,
    bottom
  }
}

/** Per rank, the index of each of its stages among them: which chunk a box belongs to. */
export function chunkIndex(picture: Picture): (rank: number, stage: number) => number {
  const stages = range(picture.ranks).map(() => new Set<number>())
  for (const { rank, stage } of picture.boxes) if (stage !== undefined) stages[rank].add(stage)
  const sorted = stages.map(set => [...set].sort((a, b) => a - b))
  return (rank, stage) => sorted[rank].indexOf(stage)
}
