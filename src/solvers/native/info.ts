import type { BackendInfo, Model } from '../port.ts'

function native(program: string, title: string, model: Model['kind'], install: string): BackendInfo {
  return {
    id: `native:${program}`,
    title: `${title} (native)`,
    capabilities: {
      models: [model],
      provesBound: true,
      warmStart: false,
      seeded: false,
      stepLimit: false,
      streams: [],
      notAutomatic: 'a program of this machine, used when asked for'
    },
    runs: 'program',
    install
  }
}

/** Native programs that are used where they are on PATH, for models that outgrow WebAssembly. */
export const NATIVE_INFOS: readonly BackendInfo[] = [
  native('glpsol', 'GLPK', 'milp', 'apt install glpk-utils'),
  native('cbc', 'CBC', 'milp', 'apt install coinor-cbc'),
  native('highs', 'HiGHS', 'milp', 'a release of HiGHS on PATH (https://highs.dev)'),
  native('z3', 'Z3', 'smt', 'apt install z3'),
  native('minizinc', 'MiniZinc with Gecode', 'cp', 'apt install minizinc')
]
