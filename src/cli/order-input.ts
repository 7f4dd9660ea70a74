import { FaultError, fail } from '../base/fault.ts'
import { detectFormat, READERS, readerById } from '../formats/index.ts'
import type { Source } from '../formats/types.ts'
import { timeOrder as timeListed } from '../prove/listed-times.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import type { ForeignOrder } from '../schedule/foreign.ts'
import type { Measured } from '../schedule/measured.ts'
import type { Io } from './io.ts'

/** Ids of the formats that orders are read from. */
export const ORDER_FORMATS: readonly string[] = [...READERS.map(reader => reader.id), 'torch-csv-comms']

/**
 * Reads an order in the named format, or in the one that it looks like; what the reader has to remark goes to stderr.
 * @throws FaultError with rows and columns, or UNKNOWN_FORMAT
 */
export async function loadOrder(io: Io, path: string, from: string | undefined): Promise<Source> {
  const text = await io.read(path)
  const reader = from === undefined ? detectFormat(text) : readerById(from)
  if (!reader) {
    const advice = `Name it with --from: ${ORDER_FORMATS.join(', ')}.`
    return fail('UNKNOWN_FORMAT', path, from, 'the file looks like none of the formats that are read', advice)
  }
  const result = reader.read(text)
  if (!result.ok) throw new FaultError(result.faults.map(fault => ({ ...fault, path: `${path}, ${fault.path}` })))
  for (const note of result.order.notes) io.err(`note: ${path}: ${note}\n`)
  return result
}

/** An order timed on an instance: as early as its dependencies allow. @throws FaultError where it is no order of it */
export function timeOrder(measured: Measured, order: ForeignOrder): ScheduleDocument {
  const timed = timeListed(measured, order)
  if (!timed.ok) throw new FaultError(timed.faults)
  return timed.document
}
