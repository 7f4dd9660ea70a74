import type { Backend, Milp, SolveRequest } from '../port.ts'
import { unsupported } from '../unsupported.ts'
import { HIGHS_INFO } from './info.ts'
import { highsEngine, loadHighs, runHighs } from './run.ts'

/** HiGHS in WebAssembly: the MILP workhorse, with a bound of its own. */
export const backend: Backend = {
  ...HIGHS_INFO,
  solve: async (request, { report } = {}) =>
    request.model.kind === 'milp'
      ? runHighs(request as SolveRequest & { model: Milp }, report)
      : unsupported(HIGHS_INFO, request.model.kind),
  version: async () => highsEngine(await loadHighs())
}
