/** Which side a column keeps its text on. */
export type Align = 'left' | 'right'

/**
 * A table without lines: a header, then rows, columns two spaces apart, each line indented by two. Cells are plain text;
 * `paint` colours whole lines (row -1 is the header).
 */
export function grid(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  align: readonly Align[] = [],
  paint: (line: string, row: number) => string = line => line
): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map(line => line[column].length)))
  const pad = (cell: string, column: number) =>
    align[column] === 'right' ? cell.padStart(widths[column]) : cell.padEnd(widths[column])
  return lines.map((line, row) => `${paint(`  ${line.map(pad).join('  ')}`.trimEnd(), row - 1)}\n`).join('')
}

/** Breaks text at spaces into lines of at most `width`, after `head` on the first line and `indent` on the others. */
export function wrap(text: string, width: number, indent = '', head = indent): string {
  const lines: string[] = []
  let line = head
  let started = false
  for (const word of text.split(' ')) {
    const joined = started ? `${line} ${word}` : line + word
    if (joined.length > width && started) {
      lines.push(line)
      line = indent + word
    } else line = joined
    started = true
  }
  return [...lines, line].join('\n')
}

/** Whole numbers as ranges: `0-3, 5, 7-8`. Ascending input. */
export function ranges(numbers: readonly number[]): string {
  const runs: [first: number, last: number][] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run && number === run[1] + 1) run[1] = number
    else runs.push([number, number])
  }
  return runs
    .map(([first, last]) =>
      first === last ? `${first}` : last === first + 1 ? `${first}, ${last}` : `${first}-${last}`
    )
    .join(', ')
}
