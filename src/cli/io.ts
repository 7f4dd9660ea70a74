import type { Style } from '../report/text/style.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { jsonText } from './json.ts'

/** What a command may touch of the outside. stdout carries the answer, stderr everything else. */
export type Io = {
  /** Style for text on stdout. */
  readonly style: Style
  /** Whether stderr is a terminal whose last line may be rewritten. */
  readonly rewritable: boolean
  /** From here on the first Ctrl-C fires the signal instead of ending the process; the second one ends it. */
  interruptible(): AbortSignal
  out(text: string): void
  err(text: string): void
  /** Text of a file, or of stdin for `-`. @throws FaultError FILE_READ */
  read(path: string): Promise<string>
  /** Refuses an output path that cannot be written, before any work is done for it. @throws FaultError FILE_WRITE */
  checkOutput(path: string): Promise<void>
  /** Writes a file completely or not at all. @throws FaultError FILE_WRITE */
  write(path: string, text: string): Promise<void>
}

/**
 * The answer of a command: the document where --json or an output file asks for it, the text unless --json does. Both
 * are made only where they are wanted.
 */
export async function printAnswer(
  io: Io,
  { json, output }: { readonly json: boolean; readonly output: string | undefined },
  document: () => unknown,
  text: () => string
): Promise<ExitCode> {
  if (json || output !== undefined) await printDocument(io, document(), output)
  if (!json) io.out(text())
  return EXIT.done
}

/** Prints one JSON document, on stdout or into the file. */
export async function printDocument(io: Io, document: unknown, output?: string): Promise<void> {
  const text = jsonText(document)
  if (output === undefined) io.out(text)
  else await io.write(output, text)
}
