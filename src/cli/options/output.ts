import type { OptionTable } from './spec.ts'

/** What is printed, and where to. */
export type OutputConfig = {
  readonly json: boolean
  readonly output: string | undefined
  readonly ascii: boolean
  readonly quiet: boolean
}

/** Their rows. */
export const OUTPUT_OPTIONS: OptionTable<OutputConfig> = {
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
  quiet: { flag: 'quiet', short: 'q', help: 'no progress on stderr', fallback: false }
}
