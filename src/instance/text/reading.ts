import type { Fault } from '../../base/fault.ts'

/** A text as plain values, or why it cannot be one. */
export type Reading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly faults: readonly Fault[] }
