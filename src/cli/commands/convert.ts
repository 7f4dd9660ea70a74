import { type Fault, FaultError, fail } from '../../base/fault.ts'
import { CUT_FORMATS, WRITERS, writerById } from '../../formats/index.ts'
import type { OutputFile, Source, Writer } from '../../formats/types.ts'
import { checkOrder } from '../../verify/transport/check.ts'
import { repairTransfers } from '../../verify/transport/repair.ts'
import { defineCommand } from '../command.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { loadInstance } from '../inputs.ts'
import type { Io } from '../io.ts'
import { MODEL_FORMATS, modelText } from '../model-text.ts'
import { loadOrder, timeOrder } from '../order-input.ts'
import { drawPicture, PICTURES } from '../picture-output.ts'

/** `tropipe convert`: schedules between the formats of runtimes, instances to the text of solver models. */
export const convert = defineCommand({
  name: 'convert',
  summary: 'write a schedule in the format that a runtime runs, or an instance as a solver model',
  details: [
    'FILE is a schedule in any format that is read (its own answer with --json included), or, for the model formats, an instance.',
    'What a runtime cannot express is refused with the reason; an order that could hang on it is refused too (exit 1). Nothing is written then.',
    `Schedules: ${WRITERS.map(writer => writer.id).join(', ')}. Pictures: ${PICTURES.join(', ')}. Models: ${MODEL_FORMATS.join(', ')}. Cuts of a model (from one to the other): ${CUT_FORMATS.map(format => format.id).join(', ')}.`
  ].join('\n\n'),
  operands: [{ name: 'FILE', help: 'a schedule, an instance for a model, or a cut (- reads stdin)' }],
  options: ['to', 'from', 'instance', 'ranks', 'repair', 'output'],
  examples: [
    'tropipe convert result.json --to hyper-parallel -o order.json',
    'tropipe convert schedule.csv --from torch-csv --to torch-csv-comms -o lowered.csv',
    'tropipe convert result.json --to svg -o schedule.svg',
    'tropipe convert instances/smoke/frozen-4x8-e6.yaml --to lp -o model.lp'
  ],
  run: async ({ operands: [path], options, io }) => {
    const { to, from, output } = options
    if (to !== undefined && MODEL_FORMATS.includes(to)) {
      const { measured } = await loadInstance(io, path)
      await emit(io, [{ suffix: '', text: modelText(measured, to) }], output)
      return EXIT.done
    }
    if (CUT_FORMATS.some(format => format.id === to)) return convertCut(io, path, options)
    if (to !== undefined && PICTURES.includes(to)) return drawPicture(io, path, options)
    const writer = writerOf(to)
    const source = repaired(io, await loadOrder(io, path, from), options.repair)
    return writeOrder(io, writer, await timed(io, source, options.instance), output)
  }
})

function writerOf(to: string | undefined): Writer {
  const writer = to === undefined ? undefined : writerById(to)
  if (writer) return writer
  const known = [
    ...WRITERS.map(({ id }) => id),
    ...PICTURES,
    ...MODEL_FORMATS,
    ...CUT_FORMATS.map(({ id }) => id)
  ].join(', ')
  return fail('UNKNOWN_FORMAT', '--to', to, 'no such format to write', `Give --to with one of ${known}.`)
}

type CutOptions = {
  readonly to: string | undefined
  readonly from: string | undefined
  readonly ranks: number | undefined
  readonly output: string | undefined
}

/** From one runtime's way to write a cut to another's. */
async function convertCut(io: Io, path: string, { to, from, ranks, output }: CutOptions): Promise<ExitCode> {
  const text = await io.read(path)
  const reader = CUT_FORMATS.find(format => (from === undefined ? format.detect(text) : format.id === from))
  const known = CUT_FORMATS.map(({ id }) => id).join(', ')
  if (!reader)
    return fail(
      'UNKNOWN_FORMAT',
      path,
      from,
      'the file looks like no cut that is read',
      `Name it with --from: ${known}.`
    )
  const read = reader.read(text, ranks)
  if (!read.ok) throw new FaultError(read.faults)
  const written = CUT_FORMATS.find(format => format.id === to)!.write(read.cut)
  if (!written.ok) throw new FaultError(written.faults)
  for (const note of written.notes) io.err(`note: ${note}\n`)
  await emit(io, written.files, output)
  return EXIT.done
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

async function writeOrder(io: Io, writer: Writer, source: Source, output: string | undefined): Promise<ExitCode> {
  const { violations } = writer.runs ? checkOrder(source.order) : { violations: [] }
  if (violations.length > 0) {
    for (const { code, message, position, advice } of violations) {
      const where = position ? `row ${position.row}, column ${position.column}: ` : ''
      io.err(`${code}: ${where}${message}\n  ${advice}\n`)
    }
    return EXIT.no
  }
  const result = writer.write(source)
  if (!result.ok) throw new FaultError(result.faults as readonly Fault[])
  for (const note of result.notes) io.err(`note: ${note}\n`)
  await emit(io, result.files, output)
  return EXIT.done
}

/** The main text goes to stdout or the output file; companions only next to a file. */
async function emit(io: Io, files: readonly OutputFile[], output: string | undefined): Promise<void> {
  for (const { suffix, text } of files) {
    if (output !== undefined) await io.write(suffix === '' ? output : companion(output, suffix), text)
    else if (suffix === '') io.out(text)
    else io.err(`note: ${suffix.slice(1)} is written next to the main file; give -o OUT to get it\n`)
  }
}

/** `dir/order.json` and `.adapter.py` make `dir/order.adapter.py`. */
function companion(output: string, suffix: string): string {
  return output.replace(/\.[^./\\]*$/, '') + suffix
}
