import type { BackendInfo } from '../port.ts'

/** What the optimizer knows of Z3 without loading it. */
export const Z3_INFO: BackendInfo = {
  id: 'z3',
  title: 'Z3 (WebAssembly)',
  capabilities: { models: ['smt'], provesBound: true, warmStart: false, seeded: true, stepLimit: true, streams: [] },
  runs: 'worker'
}
