import { showBytes } from '../../base/bytes.ts'
import type { ScheduleDocument } from '../../schedule/document.ts'
import type { Byte } from '../../schedule/measured.ts'
import { idleTicks, peakInFlight } from '../../schedule/metrics.ts'
import { showPercent } from '../../schedule/quantities.ts'
import { dim } from './glyphs.ts'
import { ranges } from './ranges.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** Rows beyond this are counted, not listed. */
const MAX_ROWS = 40

/** What one rank does and holds. */
export type RankUse = {
  /** Idle share of the makespan. */
  readonly idle: number
  readonly inFlight: number
  /** Microbatches that it encodes, or part of them, ascending. */
  readonly encodes: readonly number[]
  readonly peak: Byte
  readonly capacity?: Byte
}

/** Use of every rank by a schedule; peaks and capacities in bytes, P entries each. */
export function rankUses(
  document: ScheduleDocument,
  peaks: readonly Byte[],
  capacity: readonly (Byte | undefined)[]
): RankUse[] {
  const idle = idleTicks(document)
  return document.ranks.map((events, rank) => {
    const limit = capacity[rank]
    return {
      idle: document.makespan === 0 ? 0 : idle[rank] / document.makespan,
      inFlight: peakInFlight(events),
      encodes: [...new Set(events.flatMap(event => (event.kind === 'E' ? [event.microbatch] : [])))].sort(
        (a, b) => a - b
      ),
      peak: peaks[rank],
      ...(limit === undefined ? {} : { capacity: limit })
    }
  })
}

/** One row per rank; memory only where the instance states bytes. */
export function rankTable(uses: readonly RankUse[], style: Style): string {
  const withMemory = uses.some(use => use.peak > 0)
  const withCapacity = withMemory && uses.some(use => use.capacity !== undefined)
  const header = [
    'rank',
    'idle',
    'in flight',
    ...(withMemory ? ['peak memory'] : []),
    ...(withCapacity ? ['of capacity'] : []),
    'encodes'
  ]
  const rows = uses
    .slice(0, MAX_ROWS)
    .map((use, rank) => [
      `${rank}`,
      showPercent(use.idle),
      `${use.inFlight}`,
      ...(withMemory ? [showBytes(use.peak)] : []),
      ...(withCapacity ? [capacityText(use)] : []),
      ranges(use.encodes) || '-'
    ])
  const hidden = uses.length - rows.length
  const more = hidden > 0 ? `  ... and ${hidden} more ranks\n` : ''
  return (
    grid(
      header,
      rows,
      style,
      header.map((_, column) => (column < header.length - 1 ? 'right' : 'left')),
      (line, row) => (row === -1 ? dim(line, style) : line)
    ) + more
  )
}

function capacityText({ peak, capacity }: RankUse): string {
  if (capacity === undefined) return 'unlimited'
  return `${showBytes(capacity)} (${capacity === 0 ? '-' : showPercent(peak / capacity)})`
}
