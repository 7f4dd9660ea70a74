import { FaultError } from '../base/fault.ts'
import { isModelled } from '../instance/check.ts'
import { type ParsedInstance, parseMapping } from '../instance/parse-mapping.ts'
import { readJsonMapping } from '../instance/text/mapping.ts'
import type { Syntax } from '../instance/text/read.ts'
import { readMappingLater } from '../instance/text/read-later.ts'
import type { Io } from './io.ts'

/** An instance that was read without faults. */
export type Instance = Extract<ParsedInstance, { ok: true }>

/** JSON or YAML by the name's ending, else by the first character. */
export function syntaxOf(path: string, text: string): Syntax {
  if (/\.json$/i.test(path)) return 'json'
  if (/\.ya?ml$/i.test(path)) return 'yaml'
  return /^\s*[{[]/.test(text) ? 'json' : 'yaml'
}

/**
 * Reads an instance, measured or modelled, or the one inside a result; what was rounded to ticks or bytes is told on
 * stderr. @throws FaultError with every fault at once
 */
export async function loadInstance(io: Io, path: string): Promise<Instance> {
  const text = await io.read(path)
  const embedded = embeddedInstance(text)
  if (embedded !== undefined) {
    io.err(`note: ${path}: the instance inside is taken\n`)
    return readEmbedded(io, embedded)
  }
  const reading = await readMappingLater(text, syntaxOf(path, text))
  if (!reading.ok || !isModelled(reading.value as never)) return accept(io, path, parseMapping(reading), path)
  const { loadMapping } = await import('../model/load.ts')
  const instance = accept(io, path, loadMapping(reading), path)
  io.err(`note: ${path}: costs come from the cost model; \`tropipe model ${path}\` shows how\n`)
  return instance
}

/** Reads one of several instances: each fault says which file it is in. @throws FaultError */
export async function loadInstanceOf(io: Io, path: string, all: readonly string[]): Promise<Instance> {
  try {
    return await loadInstance(io, path)
  } catch (error) {
    if (all.length < 2 || !(error instanceof FaultError)) throw error
    const named = (place: string) => (place === path ? place : place === '' ? path : `${path}: ${place}`)
    throw new FaultError(error.faults.map(fault => ({ ...fault, path: named(fault.path) })))
  }
}

/** Documents of ours that carry the instance that they are about. */
const CARRIERS = ['tropipe.result/1', 'tropipe.model/1']

/** The instance document inside a result or a modelled answer; `undefined` where the text is none, or has none. */
export function embeddedInstance(text: string): object | undefined {
  if (!CARRIERS.some(format => text.includes(format))) return undefined
  try {
    const { format, instance } = JSON.parse(text)
    return CARRIERS.includes(format) && typeof instance === 'object' && instance !== null ? instance : undefined
  } catch {
    return undefined
  }
}

/** Checks an embedded instance like any other. @throws FaultError with every fault at once */
export function readEmbedded(io: Io, embedded: object): Instance {
  return accept(io, 'instance', parseMapping(readJsonMapping(JSON.stringify(embedded))))
}

/** `source`: the file that places are in; nothing where the instance is a part of a document. */
function accept(io: Io, path: string, parsed: ParsedInstance, source?: string): Instance {
  if (!parsed.ok) throw new FaultError(parsed.faults, source === '-' ? 'stdin' : source)
  const { roundings } = parsed
  const [first] = roundings
  if (first) {
    const more = roundings.length > 1 ? ` and ${roundings.length - 1} more` : ''
    io.err(`note: ${path}: rounded to whole ${first.quantity}: ${first.path} ${first.value}${more}\n`)
  }
  return parsed
}
