import type { Fault } from '../base/fault.ts'
import type { ScheduleDocument } from '../schedule/document.ts'
import type { ForeignOrder } from '../schedule/foreign.ts'

/** A fault of a file, with the line and the cell or character (both from 1) where it stands. */
export type TextFault = Fault & { readonly row: number; readonly column: number }

/** What a reader makes of a text: an order (timed files carry their document too), or every fault found. */
export type ReadResult =
  | { readonly ok: true; readonly order: ForeignOrder; readonly document?: ScheduleDocument }
  | { readonly ok: false; readonly faults: readonly TextFault[] }

/** Reads one format; never throws for what a text contains. */
export type Reader = {
  readonly id: string
  readonly title: string
  /** Whether a text looks like this format; cheap, may be wrong. */
  readonly detect: (text: string) => boolean
  readonly read: (text: string) => ReadResult
}

/** What a writer is given: an order, and the timed schedule behind it where there is one. */
export type Source = { readonly order: ForeignOrder; readonly document?: ScheduleDocument }

/** One file to write; `suffix` tells several outputs of one writer apart (`''` for the main one). */
export type OutputFile = { readonly suffix: string; readonly text: string }

/** What a writer answers: files with remarks on them, or why the runtime cannot express the order. */
export type WriteResult =
  | { readonly ok: true; readonly files: readonly OutputFile[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** Writes one format. */
export type Writer = {
  readonly id: string
  readonly title: string
  /** Whether a runtime runs what is written, so that an order that could hang must not be. */
  readonly runs: boolean
  readonly write: (source: Source) => WriteResult
}

/** Refuses a write with one reason. */
export function refuse(code: string, path: string, value: unknown, message: string, advice: string): WriteResult {
  return { ok: false, faults: [{ code, path, value, message, advice }] }
}

/** A fault at a place of a text. */
export function textFault(
  code: string,
  row: number,
  column: number,
  value: unknown,
  message: string,
  advice: string
): TextFault {
  return { code, path: `row ${row}, column ${column}`, row, column, value, message, advice }
}
