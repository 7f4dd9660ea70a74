import { checkOutput, readInput, writeOutput } from '../../src/cli/files.ts'
import type { Io } from '../../src/cli/io.ts'
import { run } from '../../src/cli/run.ts'
import { PLAIN } from '../../src/report/text/style.ts'
import type { Finished } from './run.ts'

/** An outside that remembers what was printed; files are real, `-` is the given text. */
export function memoryIo(
  options: { readonly stdin?: string; readonly rewritable?: boolean; readonly columns?: number } = {}
) {
  let [stdout, stderr] = ['', '']
  const io: Io = {
    style: { ...PLAIN, columns: options.columns ?? 100 },
    rewritable: options.rewritable ?? false,
    interruptible: () => new AbortController().signal,
    out: text => {
      stdout += text
    },
    err: text => {
      stderr += text
    },
    read: async path => (path === '-' ? (options.stdin ?? '') : readInput(path)),
    checkOutput,
    write: writeOutput
  }
  return { io, stdout: () => stdout, stderr: () => stderr }
}

/** Runs a command line in this process. */
export async function runHere(
  args: readonly string[],
  options: Parameters<typeof memoryIo>[0] = {}
): Promise<Finished> {
  const { io, stdout, stderr } = memoryIo(options)
  return { code: await run(args, io), stdout: stdout(), stderr: stderr() }
}
