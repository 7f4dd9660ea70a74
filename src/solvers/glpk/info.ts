import type { BackendInfo } from '../port.ts'

/** What the optimizer knows of GLPK without loading it. */
export const GLPK_INFO: BackendInfo = {
  id: 'glpk',
  title: 'GLPK (WebAssembly)',
  capabilities: { models: ['milp'], provesBound: true, warmStart: false, seeded: false, stepLimit: false, streams: [] },
  runs: 'worker',
  install: 'npm install glpk.js'
}
