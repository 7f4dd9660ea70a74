import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../..')

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** Runs the built command line in a child process without a terminal. */
export function tropipe(
  args: readonly string[],
  options: { stdin?: string; env?: NodeJS.ProcessEnv } = {}
): Promise<Finished> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [resolve(ROOT, 'bin/tropipe.js'), ...args], {
      cwd: ROOT,
      env: { ...process.env, LANG: 'C.UTF-8', LC_ALL: '', COLUMNS: '100', ...options.env }
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', chunk => {
      stdout += chunk
    })
    child.stderr.on('data', chunk => {
      stderr += chunk
    })
    child.on('error', failed)
    child.on('close', code => done({ code, stdout, stderr }))
    child.stdin.end(options.stdin ?? '')
  })
}
