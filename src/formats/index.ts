import { hasEncoderParts } from '../schedule/foreign.ts'
import { gridWriter } from './grid.ts'
import { hyperParallelReader } from './hyper-parallel.ts'
import { hyperParallelLogReader } from './hyper-parallel-log.ts'
import { hyperParallelWriter } from './hyper-parallel-writer.ts'
import { perfettoWriter } from './perfetto.ts'
import { scheduleReader, scheduleWriter } from './schedule-json.ts'
import { torchCsvReader } from './torch-csv.ts'
import { torchCommsWriter, torchCsvWriter } from './torch-csv-writer.ts'
import { type Reader, refuse, type Source, type WriteResult, type Writer } from './types.ts'
import { zeroBubbleReader, zeroBubbleWriter } from './zero-bubble.ts'

/** Everything that reads an order. */
export const READERS: readonly Reader[] = [
  scheduleReader,
  hyperParallelReader,
  hyperParallelLogReader,
  torchCsvReader,
  zeroBubbleReader
]

/** A writer for a runtime: none of them has a word for several encodes of one microbatch. */
function forRuntime(writer: Writer): Writer {
  const write = (source: Source) => (hasEncoderParts(source.order) ? refuseParts(writer) : writer.write(source))
  return { ...writer, write }
}

function refuseParts({ id }: Writer): WriteResult {
  const message = `${id} has no word for several encodes of one microbatch (options.items, options.chunks)`
  return refuse('CANNOT_EXPRESS', 'options', undefined, message, 'Write schedule, or solve without these options.')
}

/** Everything that writes an order. */
export const WRITERS: readonly Writer[] = [
  scheduleWriter,
  ...[hyperParallelWriter, torchCsvWriter, torchCommsWriter, zeroBubbleWriter].map(forRuntime),
  perfettoWriter,
  gridWriter
]

/** The reader with this id (`torch-csv-comms` reads as `torch-csv`), if there is one. */
export function readerById(id: string): Reader | undefined {
  return READERS.find(reader => reader.id === id.replace(/-comms$/, ''))
}

/** The writer with this id, if there is one. */
export function writerById(id: string): Writer | undefined {
  return WRITERS.find(writer => writer.id === id)
}

/** The reader whose format a text looks like; `undefined` when none does. */
export function detectFormat(text: string): Reader | undefined {
  return READERS.find(reader => reader.detect(text))
}

export { CUT_FORMATS, type CutFormat } from './cut-formats.ts'
export { orderOfDocument } from './document-order.ts'
export type { OutputFile, Reader, ReadResult, Source, TextFault, WriteResult, Writer } from './types.ts'
