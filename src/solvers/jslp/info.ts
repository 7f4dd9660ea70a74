import type { BackendInfo } from '../port.ts'

/** What the optimizer knows of javascript-lp-solver without loading it. */
export const JSLP_INFO: BackendInfo = {
  id: 'jslp',
  title: 'javascript-lp-solver',
  capabilities: {
    models: ['milp'],
    provesBound: false,
    warmStart: false,
    seeded: false,
    stepLimit: false,
    streams: [],
    notAutomatic: 'for linear programs and small owner assignments; does not finish 171 binaries in 40 s'
  },
  runs: 'worker'
}
