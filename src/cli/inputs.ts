import { FaultError } from '../base/fault.ts'
import type { ParsedInstance, Syntax } from '../instance/index.ts'
import { loadInstance as loadEither } from '../model/load.ts'
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
