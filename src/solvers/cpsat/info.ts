import type { BackendInfo } from '../port.ts'
import { readCpsatLog } from './status.ts'

/** What the optimizer knows of CP-SAT without loading it. */
export const CPSAT_INFO: BackendInfo = {
  id: 'cpsat',
  title: 'CP-SAT (OR-Tools, WebAssembly)',
  capabilities: {
    models: ['cp'],
    provesBound: true,
    warmStart: true,
    seeded: true,
    stepLimit: true,
    streams: ['bounds']
  },
  runs: 'child',
  install: 'npm i or-tools-wasm',
  readLog: readCpsatLog
}
