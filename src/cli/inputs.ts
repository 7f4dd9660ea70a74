import { type Fault, FaultError, fail } from '../base/fault.ts'
import { scheduleReader } from '../formats/schedule-json.ts'
import { type ParsedInstance, parseInstance, type Syntax } from '../instance/index.ts'
import { loadInstance as loadEither } from '../model/load.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import type { Io } from './io.ts'

/** An instance that was read without faults. */
export type Instance = Extract<ParsedInstance, { ok: true }>

/** JSON or YAML by the name's ending, else by the first character. */
export function syntaxOf(path: string, text: string): Syntax {
  if (/\.json$/i.test(path)) return 'json'
  if (/\.ya?ml$/i.test(path)) return 'yaml'
  return /^\s*[{[]/.test(text) ? 'json' : 'yaml'
}

/** Reads an instance, measured or modelled; what was rounded to ticks or bytes is told on stderr. @throws FaultError with every fault at once */
export async function loadInstance(io: Io, path: string): Promise<Instance> {
  const text = await io.read(path)
  const loaded = loadEither(text, syntaxOf(path, text))
  if (loaded.ok && loaded.modelled)
    io.err(`note: ${path}: costs come from the cost model; \`tropipe model ${path}\` shows how\n`)
  return accept(io, path, loaded)
}

function accept(io: Io, path: string, parsed: ParsedInstance): Instance {
  if (!parsed.ok) throw new FaultError(parsed.faults)
  const { roundings } = parsed
  const [first] = roundings
  if (first) {
    const more = roundings.length > 1 ? ` and ${roundings.length - 1} more` : ''
    io.err(`note: ${path}: rounded to whole ${first.quantity}: ${first.path} ${first.value}${more}\n`)
  }
  return parsed
}

/** A timed schedule with the instance that it is for. */
export type TimedInput = { readonly instance: Instance; readonly document: ScheduleDocument }

/**
 * Reads a `tropipe.schedule/1`, or a `tropipe.result/1`, which carries its instance along.
 * @throws FaultError MISSING_INSTANCE where a bare schedule comes without an instance
 */
export async function loadSchedule(io: Io, path: string, instancePath: string | undefined): Promise<TimedInput> {
  const text = await io.read(path)
  const read = scheduleReader.read(text)
  if (!read.ok) throw new FaultError(read.faults as readonly Fault[])
  if (!read.document)
    return fail('NO_TIMES', path, undefined, 'the file has no timed schedule', 'Give a tropipe.schedule/1.')
  if (instancePath !== undefined) return { instance: await loadInstance(io, instancePath), document: read.document }
  const embedded: unknown = JSON.parse(text).instance
  if (typeof embedded !== 'object' || embedded === null) {
    return fail(
      'MISSING_INSTANCE',
      '--instance',
      undefined,
      'a schedule alone does not say what is legal',
      'Give --instance FILE.'
    )
  }
  return { instance: accept(io, path, parseInstance(JSON.stringify(embedded), 'json')), document: read.document }
}
