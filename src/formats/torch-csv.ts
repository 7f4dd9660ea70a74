import { type Action, foreignOrder, type Position, type Run } from '../schedule/foreign.ts'
import { LIMITS, MAX_FAULTS } from './limits.ts'
import { splitRows } from './rows.ts'
import { parseTorchAction, type TorchAction } from './torch-action.ts'
import { type Reader, type ReadResult, type TextFault, textFault } from './types.ts'

type Cell = { readonly action: TorchAction; readonly at: Position }

/**
 * PyTorch pipelining CSV: one row per rank, one action per cell, an empty cell is a bubble. Compute-only files and files
 * with communications are told apart by what they hold.
 */
export const torchCsvReader: Reader = {
  id: 'torch-csv',
  title: 'PyTorch torch.distributed.pipelining CSV (compute-only or with communications)',
  detect: text => /^\uFEFF?[\s,]*\(?\d+(F|I|B|W|BW|UNSHARD|RECV_F|SEND_F)\d*\s*[,;\r\n]/.test(text.slice(0, 4096)),
  read
}

function read(text: string): ReadResult {
  const split = splitRows(text)
  if (!split.ok) return split
  const faults: TextFault[] = []
  const rows = split.rows.map(row => readRow(row.cells, row.line, faults))
  faults.push(...checkEmptyCells(rows))
  if (faults.length > 0) return { ok: false, faults: faults.slice(0, MAX_FAULTS) }
  const trimmed = rows.map(dropTrailingBubbles)
  const dialect = dialectOf(trimmed)
  const notes = [...split.notes, ...dialect.notes]
  if (trimmed.some((row, index) => row.length < rows[index].length))
    notes.push('Empty cells at the end of rows were dropped.')
  const ranks = trimmed.map(row => row.map(cell => dialect.convert(cell.action)))
  const order = foreignOrder(
    ranks,
    { dialect: dialect.name, backwardEverywhere: true, notes },
    trimmed.map(row => row.map(cell => cell.at))
  )
  return { ok: true, order }
}

function readRow(cells: readonly { text: string; column: number }[], line: number, faults: TextFault[]): Cell[] {
  return cells.flatMap(({ text, column }): Cell[] => {
    const at = { row: line, column }
    if (text === '') return [{ action: { op: 'bubble' }, at }]
    const action = parseTorchAction(text)
    const wrong = typeof action === 'string' ? action : limitFault(action)
    if (wrong === undefined) return [{ action: action as TorchAction, at }]
    const advice = 'Write <stage><F|I|B|W|SEND_F|RECV_F|SEND_B|RECV_B><microbatch>, e.g. 2F0, or leave the cell empty.'
    faults.push(textFault('BAD_ACTION', line, column, text.slice(0, 80), wrong, advice))
    return []
  })
}

function limitFault(action: TorchAction): string | undefined {
  const numbers = action.op === 'overlap' ? action.parts : 'stage' in action ? [action] : []
  for (const { stage, microbatch } of numbers as readonly { stage: number; microbatch?: number }[]) {
    if (stage >= LIMITS.stages) return `stage ${stage} is beyond the limit of ${LIMITS.stages} stages`
    if ((microbatch ?? 0) >= LIMITS.microbatches)
      return `microbatch ${microbatch} is beyond the limit of ${LIMITS.microbatches}`
  }
  return undefined
}

function dropTrailingBubbles(row: readonly Cell[]): Cell[] {
  let end = row.length
  while (end > 0 && row[end - 1].action.op === 'bubble') end--
  return row.slice(0, end)
}

/** A file with communications may not hold bubbles (the runtime asserts), and no rank may be idle throughout. */
function checkEmptyCells(rows: readonly (readonly Cell[])[]): TextFault[] {
  const all = rows.flat()
  const withTransfers = all.some(({ action }) => action.op === 'send' || action.op === 'recv')
  const idle = rows
    .filter(row => row.length > 0 && row.every(cell => cell.action.op === 'bubble'))
    .map(row =>
      textFault(
        'EMPTY_RANK',
        row[0].at.row,
        1,
        '',
        'the row has no action',
        'Give every rank its actions, or delete the row.'
      )
    )
  if (!withTransfers) return idle
  const holes = rows.flatMap(row => dropTrailingBubbles(row).filter(cell => cell.action.op === 'bubble'))
  const advice = 'A file with communications holds no empty cells; delete this one.'
  return [
    ...idle,
    ...holes.map(({ at }) =>
      textFault('EMPTY_CELL', at.row, at.column, '', 'empty cell between communications', advice)
    )
  ]
}

/**
 * Two dialects share the letters: since 2025 B is the full backward and I its input part; in 2024 B was the input part
 * and BW the full one. A file with BW, or with B and W of one microbatch but no I, is of the older dialect.
 */
function dialectOf(rows: readonly (readonly Cell[])[]): {
  name: string
  notes: readonly string[]
  convert: (action: TorchAction) => Action
} {
  const runs = rows
    .flat()
    .flatMap(({ action }) => (action.op === 'run' ? [action] : action.op === 'overlap' ? action.parts : []))
  const hasInput = runs.some(run => run.kind === 'I')
  const weights = hasInput ? [] : runs.filter(run => run.kind === 'W')
  const names = weights.length > 0 ? new Set(runs.map(nameOf)) : new Set<string>()
  const legacy =
    rows.flat().some(({ action }) => action.op === 'legacy-full') ||
    weights.some(run => names.has(nameOf({ ...run, kind: 'B' })))
  const rename = (run: Run): Run => (legacy && run.kind === 'B' ? { ...run, kind: 'I' } : run)
  const convert = (action: TorchAction): Action => {
    if (action.op === 'legacy-full') return { op: 'run', kind: 'B', stage: action.stage, microbatch: action.microbatch }
    if (action.op === 'overlap') return { op: 'overlap', parts: action.parts.map(rename) }
    return action.op === 'run' ? rename(action) : action
  }
  const notes = legacy
    ? ['Read as the 2024 dialect: its B is the input part (I today), its BW the full backward (B today).']
    : []
  const transfers = rows.flat().some(({ action }) => action.op === 'send' || action.op === 'recv')
  return { name: `torch-csv${transfers ? '-comms' : ''}${legacy ? ' (2024)' : ''}`, notes, convert }
}

const nameOf = (run: Run) => `${run.kind}/${run.stage}/${run.microbatch}`

/** Prints rows of cells as PyTorch writes them, one row per rank, newline at the end of each. */
export function printRows(rows: readonly (readonly string[])[]): string {
  return rows.map(row => `${row.join(',')}\n`).join('')
}
