import { type Action, describeAction, type ForeignOrder } from '../schedule/foreign.ts'
import { shortName } from '../schedule/label.ts'
import type { Writer } from './types.ts'

/** The order as a table for people: one line per rank, one column per step. */
export const gridWriter: Writer = {
  id: 'grid',
  title: 'rank x step grid (text for people)',
  runs: false,
  write: ({ order }) => ({ ok: true, files: [{ suffix: '', text: gridText(order) }], notes: [] })
}

const LEGEND =
  'F forward, B backward, I its input part, W its weight part, E and EB of the encoder; 2F5: stage 2, microbatch 5; > sends, < receives'

/** Rank x step grid with a legend; cells of a column are aligned. */
export function gridText(order: ForeignOrder): string {
  const rows = order.ranks.map(actions => actions.map(cellText))
  const columns = Math.max(0, ...rows.map(row => row.length))
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map(row => row[i]?.length ?? 0)))
  const label = `rank ${order.ranks.length - 1}`.length
  const lines = rows.map((row, rank) => {
    const cells = row.map((cell, i) => cell.padEnd(widths[i]))
    return `${`rank ${rank}`.padEnd(label)}  ${cells.join(' ')}`.trimEnd()
  })
  return `${lines.join('\n')}\n${LEGEND}\n`
}

function cellText(action: Action): string {
  switch (action.op) {
    case 'bubble':
      return '.'
    case 'run':
      return shortName(action)
    case 'send':
    case 'recv':
      return `${action.op === 'send' ? '>' : '<'}${Math.max(0, action.stage)}${action.payload.slice(0, 4)}${action.microbatch}`
    case 'overlap':
      return `(${action.parts.map(cellText).join('+')})`
    case 'batch':
      return `{${action.parts.map(cellText).join(' ')}}`
    case 'local':
      return action.name.toLowerCase()
    default:
      return describeAction(action).replaceAll(' ', '-')
  }
}
