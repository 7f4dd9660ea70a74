import { FaultError, fail } from '../base/fault.ts'
import { detectFormat, READERS, readerById } from '../formats/index.ts'
import type { Source } from '../formats/types.ts'
import { type ScheduleDocument, toDocument } from '../schedule/document.ts'
import { evaluate } from '../schedule/evaluate.ts'
import type { ForeignOrder } from '../schedule/foreign.ts'
import { sequencesOfOrder } from '../schedule/foreign-sequences.ts'
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
  const made = sequencesOfOrder(measured, order)
  if (!made.ok) throw new FaultError(made.faults)
  const evaluation = evaluate(made.problem, made.sequences)
  if (evaluation.kind === 'schedule') return toDocument(made.problem, evaluation.schedule)
  return fail(
    'CYCLE',
    'ranks',
    evaluation.events,
    'the order cannot finish',
    'Run `tropipe prove` on it for the cycle.'
  )
}
