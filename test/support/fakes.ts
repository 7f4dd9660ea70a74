import type { BackendInfo } from '../../src/solvers/index.ts'

/** What the fake solvers do: throw, end the worker, compute for ever, never answer, give an illegal point, a false bound. */
export const FAKE_KINDS = ['aborts', 'dies', 'hangs', 'silent', 'illegal-point', 'false-bound', 'unknown-stop'] as const

/** What others hand over while they run; those that stream points know them for one variable from 2 to 10 only. */
export const STREAMING_KINDS = [
  'streams-lies',
  'streams-then-hangs',
  'streams-then-dies',
  'streams-then-denies',
  'streams-late',
  'bounds-then-hangs',
  'bounds-then-stops',
  'solves-then-hangs',
  'solves-then-stops'
] as const

/** One that gives back the hint that it is given as its point. */
const ECHO = 'echoes'

export type FakeKind = (typeof FAKE_KINDS)[number] | (typeof STREAMING_KINDS)[number] | typeof ECHO

/** How a fake differs from others of its kind: the models that it takes, and the bounds that it claims, each under another engine's name. */
export type FakeOptions = {
  readonly models?: BackendInfo['capabilities']['models']
  readonly bounds?: readonly number[]
  readonly warmStart?: boolean
}

/** A registered backend that misbehaves in the given way, under any id. */
export function fakeBackend(kind: FakeKind, id: string = kind, options: FakeOptions = {}): BackendInfo {
  const { models = ['milp', 'smt', 'cp'], bounds = [], warmStart = false } = options
  return {
    id,
    title: `fake: ${kind}`,
    capabilities: {
      models,
      provesBound: true,
      warmStart,
      seeded: false,
      stepLimit: false,
      streams: STREAMING_KINDS.some(one => one === kind) ? ['points', 'bounds'] : []
    },
    runs: 'worker',
    module: new URL(`./backend-fakes.js?kind=${kind}&bounds=${bounds.join()}`, import.meta.url).href
  }
}
