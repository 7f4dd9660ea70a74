import type { Host, WorkerHandle } from '../port.ts'

export type { Host } from '../port.ts'

/** The parts of a Web Worker that are used; declared here, for the package is typed without the DOM. */
type WebWorker = {
  postMessage(message: unknown): void
  terminate(): void
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onerror: ((event: { readonly message?: string }) => void) | null
}
type WorkerConstructor = new (url: URL, options: { type: 'module' }) => WebWorker

/** The surroundings of a page: Web Workers, no files, no processes. `workerUrl` names the bundled solver worker. */
export function browserHost(workerUrl: URL = new URL('./solver-worker.js', import.meta.url)): Host {
  return {
    platform: 'browser',
    now: () => performance.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, Math.min(Math.max(0, ms), 2 ** 31 - 1))
      return () => clearTimeout(timer)
    },
    spawnSolver: () => spawnWebWorker(workerUrl),
    parallelism: (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator?.hardwareConcurrency ?? 1,
    env: () => undefined
  }
}

function spawnWebWorker(url: URL): WorkerHandle {
  const { Worker } = globalThis as unknown as { Worker: WorkerConstructor }
  const worker = new Worker(url, { type: 'module' })
  return {
    post: message => worker.postMessage(message),
    onMessage: listener => {
      worker.onmessage = event => listener(event.data)
    },
    onExit: listener => {
      worker.onerror = event => listener(event.message ?? 'the solver worker failed')
    },
    terminate: async () => worker.terminate(),
    keepAlive: () => {}
  }
}
