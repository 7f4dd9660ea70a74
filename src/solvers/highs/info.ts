import type { BackendInfo } from '../port.ts'

/** What the optimizer knows of HiGHS without loading it. */
export const HIGHS_INFO: BackendInfo = {
  id: 'highs',
  title: 'HiGHS (WebAssembly)',
  capabilities: {
    models: ['milp'],
    provesBound: true,
    warmStart: true,
    seeded: true,
    stepLimit: true,
    streams: ['points', 'bounds']
  },
  runs: 'worker'
}
