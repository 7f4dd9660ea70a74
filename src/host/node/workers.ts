import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { fail } from '../../base/fault.ts'
import type { WorkerHandle } from '../port.ts'

/** Where this module may be: in the sources, built, or bundled into the command line. */
const OWN_PLACE = /\/(?:src\/host\/node|dist\/host\/node|dist\/bin)\/[^/]*$/

/** Built file of this package, also where the sources run unbuilt (no worker starts from a .ts file). @throws FaultError NOT_BUILT */
export function builtFile(name: string): URL {
  const here = import.meta.url
  const built = OWN_PLACE.test(here) ? new URL(here.replace(OWN_PLACE, `/dist/host/node/${name}`)) : new URL(name, here)
  if (!existsSync(fileURLToPath(built)))
    fail(
      'NOT_BUILT',
      'dist',
      fileURLToPath(built),
      'solver workers load from dist, which is missing',
      'Run `npm run build`.'
    )
  return built
}

/** Starts a solver worker thread. Its output is swallowed: only the cli prints. */
export function spawnSolver(): WorkerHandle {
  const worker = new Worker(builtFile('solver-worker.js'), { stdout: true, stderr: true, execArgv: [] })
  let onMessage: (message: unknown) => void = () => {}
  let onExit: (error: string | undefined) => void = () => {}
  let failure: string | undefined
  worker.on('message', message => onMessage(message))
  worker.on('error', error => {
    failure = error instanceof Error ? error.message : String(error)
  })
  worker.on('exit', code => onExit(failure ?? (code === 0 ? undefined : `the solver worker ended with code ${code}`)))
  return {
    post: message => worker.postMessage(message),
    onMessage: listener => {
      onMessage = listener
    },
    onExit: listener => {
      onExit = listener
    },
    terminate: async () => {
      await worker.terminate()
    },
    keepAlive: alive => (alive ? worker.ref() : worker.unref())
  }
}
