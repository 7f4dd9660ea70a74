import { LIMITS } from './limits.ts'
import { type TextFault, textFault } from './types.ts'

export type RawCell = { readonly text: string; readonly column: number }
export type RawRow = { readonly line: number; readonly cells: readonly RawCell[] }

/** Rows of trimmed cells with their line and cell numbers, and what was forgiven on the way. */
export type SplitRows =
  | { readonly ok: true; readonly rows: readonly RawRow[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly faults: readonly TextFault[] }

/** Lines of a text without byte order mark; CRLF and lone CR end lines too. */
export function linesOf(text: string): string[] {
  return text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
}

/**
 * Splits a comma-separated text, one row per line. Blank lines at the end are dropped with a note (a strict reader
 * takes each for a rank); one in between is a fault. A cell may be quoted.
 */
export function splitRows(text: string): SplitRows {
  const tooLong = `the text has more than ${LIMITS.characters} characters`
  if (text.length > LIMITS.characters) return failed(1, 'TOO_LARGE', text.length, tooLong, 'Split the file.')
  const lines = linesOf(text)
  const notes = text.startsWith('\uFEFF') ? ['A byte order mark was skipped.'] : []
  if (lines.at(-1)?.trim() === '') lines.pop()
  const given = lines.length
  while (lines.at(-1)?.trim() === '') lines.pop()
  if (lines.length < given)
    notes.push('Blank lines at the end were dropped; PyTorch would read each as a rank without actions.')
  const rows = lines.map((line, index) => ({ line: index + 1, cells: splitLine(line) }))
  return refusalOf(rows) ?? { ok: true, rows, notes }
}

/** Too few or too many rows or cells, or a row that is blank altogether. */
function refusalOf(rows: readonly RawRow[]): SplitRows | undefined {
  const { ranks, actions } = LIMITS
  if (rows.length === 0) return failed(1, 'EMPTY', '', 'the file holds no rank', 'Give one row per rank.')
  if (rows.length > ranks)
    return failed(ranks + 1, 'TOO_LARGE', rows.length, `more than ${ranks} ranks`, 'One row is one rank.')
  const blank = rows.find(row => row.cells.length === 1 && row.cells[0].text === '')
  const advice = 'Delete it: it counts as a rank without actions.'
  if (blank) return failed(blank.line, 'BLANK_LINE', '', 'blank line between ranks', advice)
  const cells = rows.reduce((total, row) => total + row.cells.length, 0)
  if (cells > actions)
    return failed(1, 'TOO_LARGE', cells, `more than ${actions} cells`, 'Reduce the number of microbatches.')
  return undefined
}

function failed(row: number, code: string, value: unknown, message: string, advice: string): SplitRows {
  return { ok: false, faults: [textFault(code, row, 1, value, message, advice)] }
}

function splitLine(line: string): RawCell[] {
  const cells = line.includes('"') ? splitQuoted(line) : line.split(',')
  return cells.map((text, index) => ({ text: text.trim(), column: index + 1 }))
}

/** Cells of a line in which some are quoted; quotes that do not enclose a whole cell stay, to be refused as text. */
function splitQuoted(line: string): string[] {
  const cells = line.match(/(?<=^|,)(?:\s*"[^"]*"\s*(?=,|$)|[^,]*)/g) ?? [line]
  return cells.map(cell => cell.trim().replace(/^"([^"]*)"$/, '$1'))
}
