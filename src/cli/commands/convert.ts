import { FaultError, fail } from '../../base/fault.ts'
import { didYouMean } from '../../base/suggest.ts'
import { CUT_FORMATS, WRITERS, writerById } from '../../formats/index.ts'
import type { Source, Writer } from '../../formats/types.ts'
import { hasEncoderParts } from '../../schedule/foreign.ts'
import { checkOrder } from '../../verify/transport/check.ts'
import { repairTransfers } from '../../verify/transport/repair.ts'
import { defineCommand } from '../command.ts'
import { type Conversion, converted, deliver, refused } from '../conversion.ts'
import { loadInstance } from '../inputs.ts'
import type { Io } from '../io.ts'
import { MODEL_FORMATS, modelText } from '../model-text.ts'
import type { Config } from '../options.ts'
import { loadOrder, timeOrder } from '../order-input.ts'
import { drawPicture, PICTURES } from '../picture-output.ts'

/** `tropipe convert`: schedules between the formats of runtimes, instances to the text of solver models. */
export const convert = defineCommand({
  details: [
    'FILE is a schedule in any format that is read (its own answer with --json included), or, for the model formats, an instance.',
    'What a runtime cannot express is refused with the reason; an order that could hang on it is refused too (exit 1). Nothing is written then.',
    `Schedules: ${WRITERS.map(writer => writer.id).join(', ')}. Pictures: ${PICTURES.join(', ')}. Models: ${MODEL_FORMATS.join(', ')}. Cuts of a model (from one to the other): ${CUT_FORMATS.map(format => format.id).join(', ')}.`
  ].join('\n\n'),
  options: ['to', 'from', 'instance', 'ranks', 'repair', 'json', 'output'],
  examples: [
    'tropipe convert result.json --to hyper-parallel -o order.json',
    'tropipe convert schedule.csv --from torch-csv --to torch-csv-comms -o lowered.csv',
    'tropipe convert result.json --to svg -o schedule.svg',
    'tropipe convert instances/smoke/frozen-4x8-e6.yaml --to lp -o model.lp'
  ],
  idle: ({ options: { to = '' } }) => {
    if (MODEL_FORMATS.includes(to))
      return [{ options: ['from', 'instance', 'ranks', 'repair'], why: `${to} is made of an instance` }]
    if (CUT_FORMATS.some(({ id }) => id === to)) return [{ options: ['instance', 'repair'], why: `${to} is a cut` }]
    return [
      {
        options: PICTURES.includes(to) ? ['ranks', 'repair'] : ['ranks'],
        why: 'it is for cuts, or for orders that a runtime runs'
      }
    ]
  },
  run: async ({ operands: [path], options, io }) => deliver(io, await conversionOf(io, path, options), options)
})

type ConvertOptions = Pick<Config, 'to' | 'from' | 'instance' | 'ranks' | 'repair'>

async function conversionOf(io: Io, path: string, options: ConvertOptions): Promise<Conversion> {
  const { to, from } = options
  if (to !== undefined && MODEL_FORMATS.includes(to)) {
    const { text, notes } = modelText((await loadInstance(io, path)).measured, to)
    return converted(text, notes)
  }
  if (CUT_FORMATS.some(format => format.id === to)) return convertCut(io, path, options)
  if (to !== undefined && PICTURES.includes(to)) return drawPicture(io, path, options)
  const writer = writerOf(to)
  const source = repaired(io, await loadOrder(io, path, from), options.repair)
  return writeOrder(writer, await timed(io, source, options.instance))
}

function writerOf(to: string | undefined): Writer {
  const writer = to === undefined ? undefined : writerById(to)
  if (writer) return writer
  const known = [WRITERS, CUT_FORMATS].flatMap(formats => formats.map(({ id }) => id))
  const all = [...known, ...PICTURES, ...MODEL_FORMATS]
  if (to === undefined) return fail('USAGE', '--to', undefined, 'no format to write is given', didYouMean('', all))
  return fail('UNKNOWN_FORMAT', '--to', to, `there is no format "${to}" to write`, didYouMean(to, all))
}

/** From one runtime's way to write a cut to another's. */
async function convertCut(io: Io, path: string, { to, from, ranks }: ConvertOptions): Promise<Conversion> {
  const text = await io.read(path)
  const reader = CUT_FORMATS.find(format => (from === undefined ? format.detect(text) : format.id === from))
  const known = CUT_FORMATS.map(({ id }) => id)
  if (!reader && from !== undefined)
    fail('UNKNOWN_FORMAT', '--from', from, `no cut is read from "${from}"`, didYouMean(from, known))
  if (!reader) {
    const advice = `Name it with --from: ${known.join(', ')}.`
    return fail('UNKNOWN_FORMAT', path, undefined, 'the file looks like no cut that is read', advice)
  }
  const read = reader.read(text, ranks)
  if (!read.ok) throw new FaultError(read.faults)
  const written = CUT_FORMATS.find(format => format.id === to)!.write(read.cut)
  if (!written.ok) throw new FaultError(written.faults)
  return written
}

/** The order with its transfers listed anew, where that is asked for. */
function repaired(io: Io, source: Source, wanted: boolean): Source {
  if (!wanted) return source
  const repair = repairTransfers(source.order)
  if (!repair.ok)
    return fail('CYCLE', 'ranks', undefined, repair.reason, 'No order of transfers cures that; change the runs.')
  io.err(`note: ${repair.changes.length} places with transfers changed\n`)
  return { ...source, order: repair.order }
}

/** The order with times, where an instance is given. */
async function timed(io: Io, source: Source, instance: string | undefined): Promise<Source> {
  if (source.document || instance === undefined) return source
  const { measured } = await loadInstance(io, instance)
  return { ...source, document: timeOrder(measured, source.order) }
}

function writeOrder(writer: Writer, source: Source): Conversion {
  const { violations } = writer.runs && !hasEncoderParts(source.order) ? checkOrder(source.order) : { violations: [] }
  if (violations.length > 0) return refused(violations)
  const result = writer.write(source)
  if (!result.ok) throw new FaultError(result.faults)
  return result
}
