import type { Backend, Milp, SolveRequest } from '../port.ts'
import { unsupported } from '../unsupported.ts'
import { GLPK_INFO } from './info.ts'
import { glpkEngine, loadGlpk, runGlpk } from './run.ts'

/** GLPK in WebAssembly (glpk.js, GPL-3.0: an optional dependency, loaded only when it is asked for). */
export const backend: Backend = {
  ...GLPK_INFO,
  solve: async request =>
    request.model.kind === 'milp'
      ? runGlpk(request as SolveRequest & { model: Milp })
      : unsupported(GLPK_INFO, request.model.kind),
  version: async () => glpkEngine(await loadGlpk())
}
