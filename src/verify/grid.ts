import { maximum, range } from '../base/arrays.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import { shortName } from '../schedule/label.ts'
import { eventName, eventWithTimes, type Violation } from './violation.ts'

/** A cell of a rank x step grid: which list and which index in it. */
export type Cell = { readonly rank: number; readonly step: number }

/** Columns of text that a grid takes where nothing else is said. */
const COLUMNS = 80

const LEGEND =
  '2F5 = forward of stage 2, microbatch 5 (B backward, I its input part,\nW its weight part); E5, EB5 = encode and its backward'

/**
 * Rank x step grid of the lists of all ranks, plain text. `marked` is shown as `[cell]`, `others` as `(cell)`. Long
 * lists are cut to the steps around the mark that fit into `width` columns.
 */
export function renderCells(
  lists: readonly (readonly string[])[],
  marked: Cell | undefined,
  others: readonly Cell[] = [],
  width = COLUMNS
): string {
  const length = maximum(lists.map(list => list.length))
  const isCell = (cell: Cell | undefined, rank: number, step: number) => cell?.rank === rank && cell.step === step
  const text = (rank: number, step: number) => {
    const name = lists[rank][step] ?? ''
    if (isCell(marked, rank, step)) return `[${name}]`
    return others.some(cell => isCell(cell, rank, step)) ? `(${name})` : ` ${name} `
  }
  const columnOf = (step: number) => [` ${step} `, ...lists.map((_, rank) => text(rank, step))]
  const labels = ['step', ...lists.map((_, rank) => `rank ${rank}`)]
  const [first, last] = around(marked?.step ?? 0, length, width - widest(labels), step => widest(columnOf(step)))
  const columns = [labels, ...range(last - first).map(index => columnOf(first + index))]
  const lines = labels.map((_, row) =>
    columns
      .map(column => column[row].padEnd(widest(column)))
      .join('')
      .trimEnd()
  )
  const cut = first > 0 || last < length ? [`(steps ${first} to ${last - 1} of 0 to ${length - 1})`] : []
  return [...lines, ...cut].join('\n')
}

function widest(texts: readonly string[]): number {
  return maximum(texts.map(text => text.length))
}

/** The steps from `first` to before `last` that a grid of `length` steps shows: as many around the centre as there is room for. */
function around(
  centre: number,
  length: number,
  room: number,
  widthOf: (step: number) => number
): readonly [first: number, last: number] {
  let [first, last, left] = [centre, centre, room]
  for (;;) {
    const [next] = [last, first - 1]
      .filter(step => step >= 0 && step < length && widthOf(step) <= left)
      .sort((a, b) => Math.abs(a - centre) - Math.abs(b - centre))
    if (next === undefined) return [first, last]
    left -= widthOf(next)
    first = Math.min(first, next)
    last = Math.max(last, next + 1)
  }
}

/** The grid of a schedule with the cell of one violation marked, and what it says: code, place, both events, advice. */
export function renderGrid(document: ScheduleDocument, violation: Violation, width = COLUMNS): string {
  const { rank, step, other } = violation
  const marked = rank === undefined || step === undefined ? undefined : { rank, step }
  const lists = document.ranks.map(events => events.map(shortName))
  return [renderCells(lists, marked, other ? [other] : [], width), LEGEND, '', describeViolation(violation)].join('\n')
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
    ...(event ? [`  event: ${eventWithTimes(event)} of ${event.region}`] : []),
    ...(other
      ? [
          `  against: ${eventWithTimes(other.event)} of ${other.event.region}, on rank ${other.rank}, step ${other.step}`
        ]
      : []),
    `  advice: ${advice}`
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
