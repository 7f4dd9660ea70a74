/** Rows of a CSV text: commas, quoted fields with doubled quotes, any line ending; blank lines are left out. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let field = ''
  let quoted = false
  const endField = () => {
    row.push(field.trim())
    field = ''
  }
  const endRow = () => {
    endField()
    if (row.some(cell => cell !== '')) rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char !== '"') field += char
      else if (text[at + 1] === '"') field += text[++at]
      else quoted = false
    } else if (char === '"') quoted = true
    else if (char === ',') endField()
    else if (char === '\n') endRow()
    else if (char !== '\r') field += char
  }
  endRow()
  return rows
}

/** A table by its header: one record per row, missing cells empty. */
export function parseTable(text: string): {
  readonly header: readonly string[]
  readonly rows: readonly Map<string, string>[]
} {
  const [header = [], ...rows] = parseCsv(text)
  return { header, rows: rows.map(cells => new Map(header.map((name, column) => [name, cells[column] ?? '']))) }
}

/** A number in a cell; undefined where there is none. */
export function cellNumber(cell: string | undefined): number | undefined {
  if (cell === undefined || cell === '' || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(cell)) return undefined
  return Number(cell)
}
