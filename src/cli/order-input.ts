import { FaultError, fail } from '../base/fault.ts'
import { didYouMean } from '../base/suggest.ts'
import { detectFormat, READERS, type Reader, readerById } from '../formats/index.ts'
import type { Source } from '../formats/types.ts'
import { timeOrder as timeListed } from '../prove/listed-times.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import type { ForeignOrder } from '../schedule/foreign.ts'
import type { Measured } from '../schedule/measured.ts'
import { embeddedInstance, type Instance, loadInstance, readEmbedded } from './inputs.ts'
import type { Io } from './io.ts'

/** Ids of the formats that orders are read from. */
export const ORDER_FORMATS: readonly string[] = [...READERS.map(reader => reader.id), 'torch-csv-comms']

/** A document of ours names its format within so many characters. */
const OWN_WITHIN = 2000

/** An order, the timed schedule behind it where there is one, and the text that said so. */
export type OrderInput = Source & { readonly text: string }

/**
 * Reads an order in the named format, or in the one that it looks like; what the reader has to remark goes to stderr.
 * @throws FaultError with rows and columns, or UNKNOWN_FORMAT
 */
export async function loadOrder(io: Io, path: string, from: string | undefined): Promise<OrderInput> {
  const text = await io.read(path)
  const result = readerOf(path, text, from).read(text)
  if (!result.ok) throw new FaultError(result.faults.map(fault => ({ ...fault, path: `${path}, ${fault.path}` })))
  for (const note of result.order.notes) io.err(`note: ${path}: ${note}\n`)
  return { ...result, text }
}

function readerOf(path: string, text: string, from: string | undefined): Reader {
  if (from !== undefined)
    return (
      readerById(from) ??
      fail('UNKNOWN_FORMAT', '--from', from, `there is no reader "${from}"`, didYouMean(from, ORDER_FORMATS))
    )
  return detectFormat(text) ?? fail('UNKNOWN_FORMAT', path, undefined, ...noOrder(text))
}

/** What a text is that looks like no order, and what to do about it. */
function noOrder(text: string): readonly [message: string, advice: string] {
  if (text.trim() === '') return ['the file is empty', 'Give a schedule, a result, or an order of another tool.']
  const own = /tropipe\.[a-z-]+\/\d+/.exec(text.slice(0, OWN_WITHIN))?.[0]
  if (own?.startsWith('tropipe.instance/'))
    return ['this is an instance, not a schedule', 'Solve it first: tropipe solve FILE --json -o result.json.']
  if (own?.startsWith('tropipe.result/'))
    return ['this result holds no schedule: none was found', 'Give a result that is optimal or feasible.']
  if (own !== undefined) return [`this is a ${own}, not a schedule`, 'Give a tropipe.schedule/1 or a tropipe.result/1.']
  const advice = `Name it with --from: ${ORDER_FORMATS.join(', ')}.`
  return ['the file looks like none of the formats that are read', advice]
}

/** The instance that a schedule or order is for: the one that is named, else the one that a result carries along. */
export async function instanceFor(io: Io, text: string, path: string | undefined): Promise<Instance | undefined> {
  if (path !== undefined) return loadInstance(io, path)
  const embedded = embeddedInstance(text)
  return embedded === undefined ? undefined : readEmbedded(io, embedded)
}

/** An order timed on an instance: as early as its dependencies allow. @throws FaultError where it is no order of it */
export function timeOrder(measured: Measured, order: ForeignOrder): ScheduleDocument {
  const timed = timeListed(measured, order)
  if (!timed.ok) throw new FaultError(timed.faults)
  return timed.document
}
