import type { Backend, Cp, SolveRequest } from '../port.ts'
import { unsupported } from '../unsupported.ts'
import { CPSAT_INFO } from './info.ts'
import { runCpsat } from './run.ts'
import { CPSAT_ENGINE } from './status.ts'

/** CP-SAT of OR-Tools in WebAssembly: joint problems, memory as cumulative; optional, for it is large. */
export const backend: Backend = {
  ...CPSAT_INFO,
  solve: async request =>
    request.model.kind === 'cp'
      ? runCpsat(request as SolveRequest & { model: Cp })
      : unsupported(CPSAT_INFO, request.model.kind),
  version: async () => {
    import.meta.resolve('or-tools-wasm/cp-sat')
    return CPSAT_ENGINE
  }
}
