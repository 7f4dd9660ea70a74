import { parseCount, parseNames } from './values.ts'

/** Every value that a command can be configured with. Adding a key here without a row in `OPTIONS` does not compile. */
export type Config = {
  readonly json: boolean
  readonly output: string | undefined
  readonly ascii: boolean
  readonly ranks: number | undefined
  readonly microbatches: number | undefined
  readonly trainable: boolean
  readonly families: readonly string[] | undefined
  readonly baseline: string | undefined
  readonly format: 'table' | 'markdown' | 'csv'
}

/** One row of the option table: how the option is written, read and explained. */
export type OptionSpec<T> = {
  /** Long form, without dashes. */
  readonly flag: string
  readonly short?: string
  /** Name of the value; absent for a switch. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly help: string
  /** Value where the option is not given. */
  readonly fallback: T
  /** Reads the value; absent: the text itself (or `true` for a switch). */
  readonly parse?: (text: string) => T
}

/** The one table behind the parser, `--help` and docs/cli.md. */
export const OPTIONS: { readonly [K in keyof Config]: OptionSpec<Config[K]> } = {
  json: {
    flag: 'json',
    help: 'print exactly one JSON document on stdout; everything else goes to stderr',
    fallback: false
  },
  output: {
    flag: 'output',
    short: 'o',
    value: 'OUT',
    help: 'write the document to OUT (complete or not at all)',
    fallback: undefined
  },
  ascii: { flag: 'ascii', help: 'draw with ASCII characters only', fallback: false },
  ranks: {
    flag: 'ranks',
    value: 'P',
    help: 'number of pipeline ranks',
    fallback: undefined,
    parse: parseCount(1)
  },
  microbatches: {
    flag: 'microbatches',
    value: 'M',
    help: 'number of microbatches',
    fallback: undefined,
    parse: parseCount(1)
  },
  trainable: {
    flag: 'trainable',
    help: 'the encoder (first region) is trained; without it, it is frozen',
    fallback: false
  },
  families: {
    flag: 'families',
    value: 'a,b,...',
    help: 'families to compare (default: all that apply)',
    fallback: undefined,
    parse: parseNames
  },
  baseline: {
    flag: 'baseline',
    value: 'NAME',
    help: 'family that speedups refer to (default: the first that applies)',
    fallback: undefined
  },
  format: {
    flag: 'format',
    value: 'FORMAT',
    choices: ['table', 'markdown', 'csv'],
    help: 'how to print the comparison',
    fallback: 'table'
  }
}
