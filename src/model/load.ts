import { range, sum } from '../base/arrays.ts'
import { type Fault, FaultError } from '../base/fault.ts'
import { checkInstance, isModelled } from '../instance/check.ts'
import { LIMITS } from '../instance/limits.ts'
import { measure } from '../instance/measure.ts'
import { checkModelled, type ModelledDocument } from '../instance/modelled-schema.ts'
import { type ParsedInstance, parseMapping } from '../instance/parse-mapping.ts'
import { readMapping, type Syntax } from '../instance/text/read.ts'
import type { Reading } from '../instance/text/reading.ts'
import { type Modelled, modelInstance } from './modelled.ts'
import { type Resolved, resolvePlan } from './resolve.ts'
import type { MicrobatchLoad } from './workload.ts'

/** A parsed instance, with its derivation where the text was in the modelled form. */
export type LoadedInstance =
  | (Extract<ParsedInstance, { ok: true }> & { readonly modelled?: Modelled })
  | { readonly ok: false; readonly faults: readonly Fault[] }

/**
 * Reads `tropipe.instance/1` in the measured or the modelled form. Never throws for bad input: all faults come back at
 * once (of the modelled form: of its fields first, then of what they mean).
 */
export function loadInstance(text: string, syntax: Syntax): LoadedInstance {
  return loadMapping(readMapping(text, syntax))
}

/** The same of a text that was read into a mapping before. */
export function loadMapping(reading: Reading): LoadedInstance {
  if (!reading.ok || !isModelled(reading.value as never)) return parseMapping(reading)
  const checked = checkModelled(reading.value as never)
  if (!checked.ok) return checked
  try {
    const modelled = expandModelled(checked.document)
    return { ok: true, document: modelled.document, measured: measure(modelled.document), roundings: [], modelled }
  } catch (error) {
    if (error instanceof FaultError) return { ok: false, faults: error.faults }
    throw error
  }
}

/** A modelled document as a measured instance with its derivation; throws FaultError. */
export function expandModelled(document: ModelledDocument): Modelled {
  return expandResolved(document, resolvePlan(document))
}

/** A modelled document with a plan that was resolved (and perhaps cut) before; `loads` are the microbatches in place of the planned ones; throws FaultError. */
export function expandResolved(
  document: ModelledDocument,
  { plan, assumptions }: Resolved,
  loads?: readonly MicrobatchLoad[]
): Modelled {
  const modelled = modelInstance(plan, assumptions, loads)
  const changed = {
    ...modelled.document,
    ...(document.description ? { description: document.description } : {}),
    ...(document.source ? { source: document.source } : {}),
    ...(document.schedule ? { schedule: document.schedule } : {}),
    options: measuredOptions(document.options, modelled.loads)
  }
  const checked = checkInstance(changed as never)
  if (!checked.ok) throw new FaultError(checked.faults)
  return { ...modelled, document: checked.document }
}

/** Options with the drawn images as encoder tasks, where the document asks for that: relative sizes by patches. */
function measuredOptions({ items, ...options }: ModelledDocument['options'], loads: readonly MicrobatchLoad[]): object {
  if (items === undefined) return options
  return { ...options, items: items === 'images' ? loads.map(itemsOf) : items }
}

/** The images of a microbatch, neighbours joined where there are more than a microbatch may have tasks. */
function itemsOf(load: MicrobatchLoad): number | readonly number[] {
  if (load.length === 0) return 1
  const size = Math.ceil(load.length / LIMITS.encoderParts)
  return range(Math.ceil(load.length / size)).map(index => sum(load.slice(index * size, (index + 1) * size)))
}
