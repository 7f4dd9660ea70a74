import type { Backend, Milp, SolveRequest } from '../port.ts'
import { unsupported } from '../unsupported.ts'
import { JSLP_INFO } from './info.ts'
import { JSLP_ENGINE, runJslp } from './run.ts'

/** javascript-lp-solver: small, and never trusted with a proof. */
export const backend: Backend = {
  ...JSLP_INFO,
  solve: async request =>
    request.model.kind === 'milp'
      ? runJslp(request as SolveRequest & { model: Milp })
      : unsupported(JSLP_INFO, request.model.kind),
  version: async () => JSLP_ENGINE
}
