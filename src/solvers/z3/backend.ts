import type { Backend, Smt, SolveRequest } from '../port.ts'
import { unsupported } from '../unsupported.ts'
import { Z3_INFO } from './info.ts'
import { loadZ3, runZ3, z3Engine } from './run.ts'

/** Z3 in WebAssembly: decides difference-logic models, exact at every scale. */
export const backend: Backend = {
  ...Z3_INFO,
  solve: async request =>
    request.model.kind === 'smt'
      ? runZ3(request as SolveRequest & { model: Smt })
      : unsupported(Z3_INFO, request.model.kind),
  version: async () => z3Engine(await loadZ3())
}
