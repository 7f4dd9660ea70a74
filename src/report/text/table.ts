import { maximum, range, sum } from '../../base/arrays.ts'
import { unglued, words } from '../../base/wrap.ts'
import type { Style } from './style.ts'

/** Which side a column keeps its text on. Cells on the right are numbers, which no table breaks. */
export type Align = 'left' | 'right'

/** Columns are this far apart, and lines are indented by as much. */
const GAP = '  '
/** A column with a cell wider than this holds prose, which is not squeezed below `LEAST_PROSE`. */
const PROSE = 30
const LEAST_PROSE = 20

/**
 * A table without lines: a header, then rows, columns two spaces apart, each line indented by two. Cells are plain text;
 * `paint` colours whole lines (row -1 is the header).
 *
 * Where it would be wider than `style.columns`, headers are broken at spaces, then cells on the left, the widest first;
 * then both inside of long words, at the signs that join their parts. What is still too wide is folded: columns without
 * room follow below, beside the first one again. Those named in `aside` go first, the others from the last one on.
 */
export function grid(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  style: Pick<Style, 'columns'>,
  align: readonly Align[] = [],
  paint: (line: string, row: number) => string = line => line,
  aside: readonly string[] = []
): string {
  const columns = header.map((title, index): Column => {
    const away = aside.indexOf(title)
    return {
      title,
      cells: rows.map(row => row[index]),
      right: align[index] === 'right',
      hang: index === 0 ? 2 : 0,
      stays: away < 0 ? aside.length : away
    }
  })
  return folded(columns, style.columns)
    .map(block => drawn(block, paint))
    .join('\n')
}

/**
 * `hang`: how far what continues in a cell is indented; in the first column, so that it reads as no row of its own.
 * `stays`: columns with less leave earlier where there is no room.
 */
type Column = {
  readonly title: string
  readonly cells: readonly string[]
  readonly right: boolean
  readonly hang: number
  readonly stays: number
}

/** Columns beside each other with their widths, and where their texts are broken. */
type Block = { readonly columns: readonly Column[]; readonly widths: readonly number[]; readonly broken: Break }

/** Cut a text where a line may end; a piece keeps the space behind it. */
type Break = { readonly title: (text: string) => string[]; readonly cell: (text: string) => string[] }

const atSpaces: Break['cell'] = text =>
  words(text).map((word, index, all) => (index < all.length - 1 ? `${word} ` : word))

/** Also behind the signs that join the parts of names and paths, before a letter. */
const atJoints: Break['cell'] = text => atSpaces(text).flatMap(word => word.split(/(?<=[-/@_.])(?=[a-zA-Z])/))

const TITLES: Break = { title: atSpaces, cell: text => [text] }
const SPACES: Break = { title: atSpaces, cell: atSpaces }
const JOINTS: Break = { title: atJoints, cell: atJoints }

/** The columns in blocks that fit one below the other. */
function folded(columns: readonly Column[], room: number): Block[] {
  const block =
    fitted(columns, room, SPACES) ??
    fitted(columns, room, JOINTS) ??
    most(columns, room, TITLES) ??
    most(columns, room, SPACES) ??
    most(columns, room, JOINTS) ??
    squeezed(columns.slice(0, 2))
  const rest = columns.filter(column => !block.columns.includes(column))
  return rest.length === 0 ? [block] : [block, ...folded([columns[0], ...rest], room)]
}

/** As many of the columns as there is room for, the first and at least one more. */
function most(columns: readonly Column[], room: number, broken: Break): Block | undefined {
  const [first, ...others] = columns
  const leaving = others.toReversed().sort((a, b) => a.stays - b.stays)
  for (let gone = 1; gone < leaving.length; gone++) {
    const left = leaving.slice(0, gone)
    const block = fitted([first, ...others.filter(column => !left.includes(column))], room, broken)
    if (block) return block
  }
  return undefined
}

/** The columns beside each other, where the room allows it. */
function fitted(columns: readonly Column[], room: number, broken: Break): Block | undefined {
  const inner = room - GAP.length * columns.length
  const natural = columns.map(({ title, cells }) => Math.max(title.length, widest(cells)))
  const titles = columns.map(({ title, cells }) => Math.max(widest(broken.title(title)), widest(cells)))
  const least = columns.map(column => leastWidth(column, broken))
  const widths = shrunk(shrunk(natural, titles, inner), least, inner)
  return sum(widths) <= inner ? { columns, widths, broken } : undefined
}

/** As narrow as it goes, for columns that have no room at all. */
function squeezed(columns: readonly Column[]): Block {
  return { columns, widths: columns.map(column => leastWidth(column, JOINTS)), broken: JOINTS }
}

function leastWidth({ title, cells, right, hang }: Column, broken: Break): number {
  const cell = widest(cells)
  const piece = right ? cell : Math.min(cell, hang + widest(cells.flatMap(broken.cell)))
  return Math.max(widest(broken.title(title)), piece, cell > PROSE ? Math.min(cell, LEAST_PROSE) : 0)
}

function widest(texts: readonly string[]): number {
  return maximum(texts.map(text => text.trimEnd().length))
}

/** Takes from the widest column until all fit, none below its least width. */
function shrunk(widths: readonly number[], least: readonly number[], inner: number): number[] {
  const result = [...widths]
  for (let over = sum(result) - inner; over > 0; over--) {
    const free = range(result.length).filter(index => result[index] > least[index])
    if (free.length === 0) break
    result[free.reduce((a, b) => (result[b] > result[a] ? b : a))]--
  }
  return result
}

function drawn({ columns, widths, broken }: Block, paint: (line: string, row: number) => string): string {
  const texts = columns.map(({ title, cells, right, hang }, index) => {
    const lines = (cell: string) => (right ? [cell] : linesOf(broken.cell(cell), widths[index], ' '.repeat(hang)))
    return [linesOf(broken.title(title), widths[index]), ...cells.map(lines)]
  })
  const used = texts.map(cells => widest(cells.flat()))
  return range(texts[0].length)
    .flatMap(row => {
      const height = maximum(texts.map(cells => cells[row].length))
      return range(height).map(at => {
        const parts = texts.map((cells, index) => {
          const line = cells[row][row === 0 ? at - height + cells[row].length : at] ?? ''
          return columns[index].right ? line.padStart(used[index]) : line.padEnd(used[index])
        })
        return `${paint(`${GAP}${parts.join(GAP)}`.trimEnd(), row - 1)}\n`
      })
    })
    .join('')
}

/** Pieces of a text in lines of at most `width`, all but the first one after `indent`. */
function linesOf([first, ...pieces]: readonly string[], width: number, indent = ''): string[] {
  const lines = [first]
  for (const piece of pieces) {
    const joined = lines[lines.length - 1] + piece
    if (joined.trimEnd().length <= width) lines[lines.length - 1] = joined
    else lines.push(indent + piece)
  }
  return lines.map(line => unglued(line).trimEnd())
}
