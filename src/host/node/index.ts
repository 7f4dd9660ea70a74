import { availableParallelism } from 'node:os'
import type { Host } from '../port.ts'
import { nodeFiles } from './files.ts'
import { nodeProcesses } from './processes.ts'
import { spawnSolver } from './workers.ts'

export type { Host } from '../port.ts'

/** The surroundings of a Node process. */
export function nodeHost(): Host {
  return {
    platform: 'node',
    now: () => performance.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, Math.min(Math.max(0, ms), 2 ** 31 - 1))
      return () => clearTimeout(timer)
    },
    spawnSolver,
    parallelism: availableParallelism(),
    processes: nodeProcesses,
    files: nodeFiles,
    env: name => process.env[name]
  }
}
