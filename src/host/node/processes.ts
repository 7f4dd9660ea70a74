import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Processes, ProcessRequest, ProcessResult } from '../port.ts'
import { plainJson } from './plain-json.ts'
import { builtFile } from './workers.ts'

/** Child processes of this machine. */
export const nodeProcesses: Processes = {
  run: runProcess,
  runSolverChild: (message, limits) =>
    runProcess({
      ...limits,
      command: process.execPath,
      args: [fileURLToPath(builtFile('solver-child.js'))],
      stdin: `${plainJson(message)}\n`
    }),
  find: findProgram
}

/** Path of a program on PATH. */
async function findProgram(program: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, program)
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false
      )
    )
      return path
  }
  return undefined
}

/** Most runs start no child, so what that takes is loaded with the first one. */
async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  return (await import('./child.ts')).runChild(request)
}
