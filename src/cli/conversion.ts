import type { OutputFile } from '../formats/types.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { type Io, printDocument } from './io.ts'

/** A rule that the order breaks, in words. */
type Objection = {
  readonly code: string
  readonly message: string
  readonly advice: string
  readonly position?: unknown
}

/** What a conversion came to: files with remarks on them, or why nothing may be written (exit code 1). */
export type Conversion =
  | { readonly ok: true; readonly files: readonly OutputFile[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly violations: readonly Objection[] }

/** A conversion to a single text. */
export function converted(text: string, notes: readonly string[] = []): Conversion {
  return { ok: true, files: [{ suffix: '', text }], notes }
}

/** A schedule that is illegal, or an order that could hang where it runs. */
export function refused(violations: readonly Objection[]): Conversion {
  return { ok: false, violations }
}

type Target = { readonly to: string | undefined; readonly output: string | undefined; readonly json: boolean }

/**
 * Writes the files, next to each other where an output is named, else the main one to stdout. With `json` stdout gets one
 * `tropipe.conversion/1` instead: the files (their texts where they were not written), notes and violations.
 */
export async function deliver(io: Io, conversion: Conversion, { to, output, json }: Target): Promise<ExitCode> {
  const files = conversion.ok ? conversion.files : []
  const notes = conversion.ok ? conversion.notes : []
  const violations = conversion.ok ? [] : conversion.violations
  if (output !== undefined) for (const file of files) await io.write(companion(output, file.suffix), file.text)
  if (json) {
    const listed = files.map(({ suffix, text }) =>
      output === undefined ? { suffix, text } : { suffix, path: companion(output, suffix) }
    )
    await printDocument(io, { format: 'tropipe.conversion/1', to, files: listed, notes, violations })
  } else {
    for (const objection of violations) io.err(objectionText(objection))
    for (const note of notes) io.err(`note: ${note}\n`)
    if (output === undefined) printFiles(io, files)
  }
  return conversion.ok ? EXIT.done : EXIT.no
}

function printFiles(io: Io, files: readonly OutputFile[]): void {
  for (const { suffix, text } of files)
    if (suffix === '') io.out(text)
    else io.err(`note: ${suffix.slice(1)} is written next to the main file; give -o OUT to get it\n`)
}

function objectionText({ code, message, advice, position }: Objection): string {
  const { row, column } = (position ?? {}) as { readonly row?: number; readonly column?: number }
  const where = row === undefined ? '' : `row ${row}, column ${column}: `
  return `${code}: ${where}${message}\n  ${advice}\n`
}

/** `dir/order.json` and `.adapter.py` make `dir/order.adapter.py`. */
function companion(output: string, suffix: string): string {
  return suffix === '' ? output : output.replace(/\.[^./\\]*$/, '') + suffix
}
