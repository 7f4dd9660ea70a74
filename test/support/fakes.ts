import type { BackendInfo } from '../../src/solvers/index.ts'

/** What the fake solvers do: throw, end the worker, compute for ever, never answer, give an illegal point, a false bound. */
export const FAKE_KINDS = ['aborts', 'dies', 'hangs', 'silent', 'illegal-point', 'false-bound', 'unknown-stop'] as const

export type FakeKind = (typeof FAKE_KINDS)[number]

/** A registered backend that misbehaves in the given way, under any id. */
export function fakeBackend(kind: FakeKind, id: string = kind): BackendInfo {
  return {
    id,
    title: `fake: ${kind}`,
    capabilities: {
      models: ['milp', 'smt', 'cp'],
      provesBound: true,
      warmStart: false,
      seeded: false,
      stepLimit: false
    },
    runs: 'worker',
    module: new URL(`./backend-fakes.js?kind=${kind}`, import.meta.url).href
  }
}
