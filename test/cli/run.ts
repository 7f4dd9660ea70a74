import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

type Options = { readonly stdin?: string; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string }

/** Starts the built command line in a child process without a terminal. */
export function start(args: readonly string[], { env, cwd }: Options = {}): ChildProcess {
  return spawn(process.execPath, [resolve(ROOT, 'bin/tropipe.js'), ...args], {
    cwd: cwd ?? ROOT,
    env: { ...process.env, LANG: 'C.UTF-8', LC_ALL: '', COLUMNS: '100', ...env }
  })
}

/** Collects what a child prints until it ends. */
export function finished(child: ChildProcess): Promise<Finished> {
  return new Promise((done, failed) => {
    let [stdout, stderr] = ['', '']
    child.stdout?.on('data', chunk => {
      stdout += chunk
    })
    child.stderr?.on('data', chunk => {
      stderr += chunk
    })
    child.on('error', failed)
    child.on('close', code => done({ code, stdout, stderr }))
  })
}

/** Runs the built command line to its end. */
export function tropipe(args: readonly string[], options: Options = {}): Promise<Finished> {
  const child = start(args, options)
  child.stdin?.end(options.stdin ?? '')
  return finished(child)
}
