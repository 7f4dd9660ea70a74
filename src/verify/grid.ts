import { maximum } from '../base/arrays.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import { shortName } from '../schedule/label.ts'
import { eventName, eventWithTimes, type Violation } from './violation.ts'

/** A cell of a rank x step grid: which list and which index in it. */
export type Cell = { readonly rank: number; readonly step: number }

/** How many steps a grid shows around its mark. */
const WINDOW = 12

const LEGEND =
  '2F5 = forward of stage 2, microbatch 5 (B backward, I its input part, W its weight part); E5, EB5 = encode and its backward'

/**
 * Rank x step grid of the lists of all ranks, plain text. `marked` is shown as `[cell]`, `others` as `(cell)`. Long
 * lists are cut to the steps around the mark.
 */
export function renderCells(
  lists: readonly (readonly string[])[],
  marked: Cell | undefined,
  others: readonly Cell[] = []
): string {
  const length = maximum(lists.map(list => list.length))
  const centre = marked?.step ?? 0
  const first = Math.max(0, Math.min(centre - WINDOW, length - 2 * WINDOW - 1))
  const last = Math.min(length, first + 2 * WINDOW + 1)
  const steps = Array.from({ length: last - first }, (_, index) => first + index)
  const isCell = (cell: Cell | undefined, rank: number, step: number) => cell?.rank === rank && cell.step === step
  const text = (rank: number, step: number) => {
    const name = lists[rank][step] ?? ''
    if (isCell(marked, rank, step)) return `[${name}]`
    return others.some(cell => isCell(cell, rank, step)) ? `(${name})` : ` ${name} `
  }
  const rows = [
    ['step', ...steps.map(step => ` ${step} `)],
    ...lists.map((_, rank) => [`rank ${rank}`, ...steps.map(step => text(rank, step))])
  ]
  const widths = rows[0].map((_, column) => maximum(rows.map(row => row[column].length)))
  const lines = rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('')
      .trimEnd()
  )
  const cut = first > 0 || last < length ? [`(steps ${first} to ${last - 1} of 0 to ${length - 1})`] : []
  return [...lines, ...cut].join('\n')
}

/** The grid of a schedule with the cell of one violation marked, and what it says: code, place, both events, advice. */
export function renderGrid(document: ScheduleDocument, violation: Violation): string {
  const { rank, step, other } = violation
  const marked = rank === undefined || step === undefined ? undefined : { rank, step }
  const lists = document.ranks.map(events => events.map(shortName))
  return [renderCells(lists, marked, other ? [other] : []), LEGEND, '', describeViolation(violation)].join('\n')
}

/** The text below a grid, one fact a line. */
export function describeViolation({ code, rank, step, event, other, message, advice }: Violation): string {
  const place = [
    ...(rank === undefined ? [] : [`rank ${rank}`]),
    ...(step === undefined ? [] : [`step ${step}`]),
    ...(event === undefined ? [] : [`microbatch ${event.microbatch}`])
  ]
  return [
    `${code}${place.length > 0 ? ` at ${place.join(', ')}` : ''}: ${message}`,
    ...(event ? [`  event:   ${eventWithTimes(event)} of ${event.region}`] : []),
    ...(other
      ? [
          `  against: ${eventWithTimes(other.event)} of ${other.event.region}, on rank ${other.rank}, step ${other.step}`
        ]
      : []),
    `  advice:  ${advice}`
  ].join('\n')
}

/** One line per violation, at most `limit`, with a count of the rest. */
export function listViolations(violations: readonly Violation[], limit = 20): string {
  const lines = violations.slice(0, limit).map(({ code, rank, step, event, message }) => {
    const place = [rank === undefined ? '' : `rank ${rank}`, step === undefined ? '' : `step ${step}`].filter(Boolean)
    return `${code} ${place.join(', ')}${place.length > 0 || !event ? '' : eventName(event)}: ${message}`
  })
  const rest = violations.length - limit
  return [...lines, ...(rest > 0 ? [`... and ${rest} more`] : [])].join('\n')
}
