import type { Style } from '../report/text/style.ts'
import { EXIT } from './exit.ts'
import { checkOutput, readInput, writeOutput } from './files.ts'
import type { Io } from './io.ts'

type Stream = { readonly isTTY?: boolean; readonly columns?: number }
type Environment = Readonly<Record<string, string | undefined>>

/** Width of text that goes to no terminal: the same wherever it runs, unless COLUMNS asks for less. */
const DEFAULT_COLUMNS = 100
/** Tables and pictures are not made for less. */
const MIN_COLUMNS = 40

/** Style that a stream and the environment ask for: colour on terminals only, and never with NO_COLOR set. */
export function styleOf(stream: Stream, env: Environment): Style {
  const wished = Number.parseInt(env.COLUMNS ?? '', 10) || DEFAULT_COLUMNS
  const columns = (stream.isTTY && stream.columns) || Math.min(wished, DEFAULT_COLUMNS)
  return {
    columns: Math.max(MIN_COLUMNS, columns),
    colour: stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    unicode: speaksUnicode(env)
  }
}

/** Unicode unless the locale or the terminal says otherwise; an unset locale (containers) is taken as UTF-8. */
function speaksUnicode(env: Environment): boolean {
  if (env.TERM === 'dumb' || env.TERM === 'linux') return false
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  return !locale || /utf-?8/i.test(locale)
}

/** The process as a command sees it. Without an answer to save, Ctrl-C ends it with the code for a limit. */
export function processIo(): Io {
  let saving: AbortController | undefined
  process.on('SIGINT', () => {
    if (!saving || saving.signal.aborted) process.exit(EXIT.limit)
    saving.abort()
  })
  return {
    style: styleOf(process.stdout, process.env),
    rewritable: process.stderr.isTTY === true && process.env.TERM !== 'dumb',
    interruptible: () => {
      saving = new AbortController()
      return saving.signal
    },
    out: text => void process.stdout.write(text),
    err: text => void process.stderr.write(text),
    read: readInput,
    checkOutput,
    write: writeOutput
  }
}
