import type { Fault } from '../base/fault.ts'
import type { Measured } from '../schedule/measured.ts'
import { checkInstance } from './check.ts'
import type { Mapping } from './checks/raw.ts'
import { measure } from './measure.ts'
import { type Rounding, roundingsOf } from './scale.ts'
import type { InstanceDocument } from './schema.ts'
import type { Reading } from './text/reading.ts'

/** A valid instance in both forms with what was rounded on the way, or every fault of the text. */
export type ParsedInstance =
  | {
      readonly ok: true
      readonly document: InstanceDocument
      readonly measured: Measured
      readonly roundings: readonly Rounding[]
    }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** The instance of a text that was read into a mapping, or every fault. */
export function parseMapping(reading: Reading): ParsedInstance {
  if (!reading.ok) return reading
  const checked = checkInstance(reading.value as Mapping)
  if (!checked.ok) return checked
  const { document } = checked
  return { ok: true, document, measured: measure(document), roundings: roundingsOf(document) }
}
