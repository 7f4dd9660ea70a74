import {
  type Action,
  type ForeignOrder,
  foreignOrder,
  listsTransfers,
  type Position,
  type Run,
  stageMapOf
} from '../schedule/foreign.ts'
import { incompleteRefusal } from './complete.ts'
import { LIMITS, MAX_FAULTS } from './limits.ts'
import { linesOf } from './rows.ts'
import {
  type Reader,
  type ReadResult,
  refuse,
  type TextFault,
  textFault,
  type WriteResult,
  type Writer
} from './types.ts'

/**
 * The order that the zero-bubble runtime prints: one line per rank, blanks between tokens such as `F0 B0 W0 BW1`. There
 * B is the input part, W the weight part and BW the full backward. With two chunks lower case is chunk 0, upper case
 * chunk 1; with one chunk everything is upper case. A first line `# map loop` states the stage map of two chunks; without
 * it they lie in a V (rank r holds r and 2P-1-r).
 */
const KINDS: Readonly<Record<string, Run['kind']>> = { F: 'F', B: 'I', W: 'W', BW: 'B' }
const TOKEN = /^([FBW]|BW|[fbw]|bw)(\d{1,6})$/
const HEADER = /^#\s*(?:.*;\s*)?map (loop|v)\s*$/

type Chunked = {
  readonly kind: Run['kind']
  readonly chunk: number
  readonly microbatch: number
  readonly at: Position
}

export const zeroBubbleReader: Reader = {
  id: 'zero-bubble',
  title: 'zero-bubble order (text, one line per rank)',
  detect: text => /^\uFEFF?(?:#[^\r\n]*\r?\n)?\s*[fF]\d+[ \t\r\n]/.test(`${text.slice(0, 4096)}\n`),
  read
}

function read(text: string): ReadResult {
  if (text.length > LIMITS.characters) return tooLarge(1, 'the text is larger than 64 MB')
  const lines = linesOf(text)
  const header = lines[0]?.startsWith('#') ? HEADER.exec(lines[0].trim()) : undefined
  if (header === null)
    return {
      ok: false,
      faults: [
        textFault(
          'BAD_HEADER',
          1,
          1,
          lines[0].slice(0, 80),
          'the first line is no header',
          'Write "# map loop" or "# map v", or drop it.'
        )
      ]
    }
  const first = header ? 1 : 0
  while (lines.length > first && lines[lines.length - 1].trim() === '') lines.pop()
  if (lines.length - first > LIMITS.ranks) return tooLarge(LIMITS.ranks + 1, `more than ${LIMITS.ranks} ranks`)
  const faults: TextFault[] = []
  const rows = lines.slice(first).map((line, index) => readLine(line, first + index + 1, faults))
  if (rows.length === 0) faults.push(textFault('EMPTY', 1, 1, '', 'the file holds no rank', 'Give one line per rank.'))
  if (faults.length > 0) return { ok: false, faults: faults.slice(0, MAX_FAULTS) }
  return { ok: true, order: orderOf(rows, header?.[1] === 'loop' ? 'loop' : 'v') }
}

function tooLarge(row: number, message: string): ReadResult {
  return { ok: false, faults: [textFault('TOO_LARGE', row, 1, undefined, message, 'Split the file.')] }
}

function readLine(line: string, row: number, faults: TextFault[]): Chunked[] {
  const tokens = [...line.matchAll(/\S+/g)]
  if (tokens.length === 0)
    faults.push(textFault('BLANK_LINE', row, 1, '', 'a rank without actions', 'Delete the blank line.'))
  return tokens.flatMap((token): Chunked[] => {
    const at = { row, column: token.index + 1 }
    const match = TOKEN.exec(token[0])
    const microbatch = match ? Number(match[2]) : 0
    if (match && microbatch < LIMITS.microbatches) {
      const upper = match[1].toUpperCase()
      return [{ kind: KINDS[upper], chunk: match[1] === upper ? 1 : 0, microbatch, at }]
    }
    const message = match
      ? `microbatch ${microbatch} is beyond the limit of ${LIMITS.microbatches}`
      : 'not a token of this format'
    faults.push(
      textFault(
        'BAD_TOKEN',
        row,
        at.column,
        token[0].slice(0, 40),
        message,
        'Write F, B, W or BW with a microbatch, e.g. F0 (lower case: chunk 0 of two).'
      )
    )
    return []
  })
}

/** Upper case means chunk 1 only where lower case occurs at all. */
function orderOf(rows: readonly (readonly Chunked[])[], map: 'loop' | 'v'): ForeignOrder {
  const P = rows.length
  const two = rows.some(row => row.some(token => token.chunk === 0))
  const stageOf = (rank: number, chunk: number) =>
    !two || chunk === 0 ? rank : map === 'v' ? 2 * P - 1 - rank : P + rank
  const ranks = rows.map((row, rank) =>
    row.map(({ kind, chunk, microbatch }): Action => ({ op: 'run', kind, stage: stageOf(rank, chunk), microbatch }))
  )
  const notes = ['Letters of the zero-bubble runtime: B is the input part, W the weight part, BW the full backward.']
  return foreignOrder(
    ranks,
    { dialect: 'zero-bubble', notes },
    rows.map(row => row.map(token => token.at))
  )
}

/** Writes an order for the zero-bubble runtime, which adds its transfers itself. */
export const zeroBubbleWriter: Writer = {
  id: 'zero-bubble',
  title: 'zero-bubble order (text; the runtime adds the transfers)',
  runs: true,
  write: ({ order }) =>
    refusal(order) ?? { ok: true, files: [{ suffix: '', text: textOf(order) }], notes: notesOf(order) }
}

const LETTERS: Readonly<Record<string, string>> = { F: 'F', I: 'B', W: 'W', B: 'BW' }

function textOf(order: ForeignOrder): string {
  const P = order.ranks.length
  const two = order.stages === 2 * P
  const lines = order.ranks.map(actions =>
    actions
      .flatMap(action => (action.op === 'run' ? [action] : []))
      .map(({ kind, stage, microbatch }) => {
        const letter = LETTERS[kind]
        return `${two && stage < P ? letter.toLowerCase() : letter}${microbatch}`
      })
      .join(' ')
  )
  const header = two ? [`# map ${stageMapOf(order)}`] : []
  return `${[...header, ...lines].join('\n')}\n`
}

function notesOf(order: ForeignOrder): string[] {
  return [
    'Letters of the zero-bubble runtime: B is the input part, W the weight part, BW the full backward.',
    ...(listsTransfers(order) ? ['Transfers were left out: the runtime places its own.'] : [])
  ]
}

function refusal(order: ForeignOrder): WriteResult | undefined {
  const other = order.ranks
    .flat()
    .find(a => a.op === 'overlap' || a.op === 'collective' || (a.op === 'run' && (a.kind === 'E' || a.kind === 'EB')))
  if (other)
    return refuse(
      'NOT_EXPRESSIBLE',
      'ranks',
      other.op,
      'zero-bubble has F, B, W and BW of pipelined stages only: no replicated encoder, no overlap',
      'Write another format.'
    )
  if (stageMapOf(order) === 'other' || order.stages > 2 * order.ranks.length)
    return refuse(
      'NOT_EXPRESSIBLE',
      'stages',
      order.stages,
      'the letters tell two chunks apart, in a loop or a V',
      'Use one or two stages per rank.'
    )
  const incomplete = incompleteRefusal(order)
  if (incomplete) return incomplete
  const idle = order.ranks.findIndex(actions => !actions.some(action => action.op === 'run'))
  return idle < 0
    ? undefined
    : refuse('NOT_EXPRESSIBLE', `ranks[${idle}]`, 0, `rank ${idle} has no action`, 'Use fewer ranks.')
}
