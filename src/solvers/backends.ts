import { CPSAT_INFO } from './cpsat/info.ts'
import { GLPK_INFO } from './glpk/info.ts'
import { HIGHS_INFO } from './highs/info.ts'
import { JSLP_INFO } from './jslp/info.ts'
import { NATIVE_INFOS } from './native/info.ts'
import type { BackendInfo } from './port.ts'
import { Z3_INFO } from './z3/info.ts'

/** Every backend that comes with the package, without loading any. */
export const BACKENDS: readonly BackendInfo[] = [GLPK_INFO, HIGHS_INFO, Z3_INFO, CPSAT_INFO, JSLP_INFO, ...NATIVE_INFOS]
