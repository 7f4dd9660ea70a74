import { line, wrap } from '../../base/wrap.ts'
import { showPercent, timeColumn } from '../../schedule/quantities.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** One way to schedule over many draws; ticks. */
export type DrawRowView = {
  readonly name: string
  readonly mean: number
  readonly p95: number
  readonly worst: number
  readonly loss?: number
  readonly legal: number
}

/** A comparison over many draws. */
export type DrawsView = {
  readonly name: string
  readonly P: number
  readonly M: number
  readonly unit: string
  readonly ticksPerUnit: number
  readonly draws: number
  readonly groups: number
  readonly rows: readonly DrawRowView[]
  readonly clairvoyant?: DrawRowView & { readonly proved: number }
  readonly notes: readonly string[]
}

/** Mean, p95 and worst makespan of every family and of the optimum re-solved per draw. */
export function drawsText(view: DrawsView, style: Style): string {
  const { clairvoyant } = view
  const rows = [...view.rows, ...(clairvoyant ? [clairvoyant] : [])]
  const { unit, cells: times } = timeColumn(
    rows.flatMap(row => [row.mean, row.p95, row.worst]),
    view
  )
  const cells = rows.map((row, index) => [
    row.name,
    ...times.slice(3 * index, 3 * index + 3),
    ...(clairvoyant ? [row.loss === undefined ? '-' : showPercent(row.loss)] : []),
    `${row.legal}/${view.draws}`
  ])
  const header = ['family', `mean/${unit}`, `p95/${unit}`, `worst/${unit}`, ...(clairvoyant ? ['gap'] : []), 'legal']
  const groups = view.groups > 1 ? `, slowest of ${view.groups} data-parallel groups` : ''
  const proved = clairvoyant
    ? [
        'gap: (makespan - optimum) / makespan, the mean over the draws',
        `optimum: re-solved for every draw, proved in ${clairvoyant.proved} of ${view.draws}`
      ]
    : []
  const notes = [...proved, ...view.notes].map(note => `${wrap(`${note}.`, style.columns, '  ')}\n`).join('')
  const head = `${view.name}  ${view.P} ranks x ${view.M} microbatches, ${view.draws} draws${groups}`
  return `${line(head, style.columns)}\n${grid(
    header,
    cells,
    style,
    header.map((_, column) => (column === 0 ? 'left' : 'right'))
  )}\n${notes}`
}
