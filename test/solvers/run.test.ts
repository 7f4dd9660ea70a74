import { afterAll, describe, expect, it } from 'vitest'
import { FaultError } from '../../src/base/fault.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import {
  backendVersion,
  type Finding,
  type Outcome,
  type RunOptions,
  releaseSolvers,
  runBackend
} from '../../src/solvers/index.ts'
import type { Milp, SolveRequest } from '../../src/solvers/port.ts'
import { FAKE_KINDS, type FakeKind, fakeBackend } from '../support/fakes.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

const toy: Milp = {
  kind: 'milp',
  variables: [{ lower: 0, upper: 10, integer: true }],
  rows: [{ terms: [[0, 2]], lower: 3 }],
  objective: [[0, 1]]
}

async function fake(kind: FakeKind, timeLimitMs = 600): Promise<{ outcome: Outcome; ms: number }> {
  const start = performance.now()
  const outcome = await runBackend(host, kind, { model: toy, timeLimitMs }, { backends: [fakeBackend(kind)] })
  return { outcome, ms: performance.now() - start }
}

async function stream(
  kind: FakeKind,
  options: RunOptions = {},
  limits: Partial<SolveRequest> = {}
): Promise<{ outcome: Outcome; findings: readonly Finding[] }> {
  const findings: Finding[] = []
  const outcome = await runBackend(
    host,
    kind,
    { model: toy, timeLimitMs: 3_000, ...limits },
    { onFinding: finding => findings.push(finding), backends: [fakeBackend(kind)], ...options }
  )
  return { outcome, findings }
}

describe('runBackend with solvers that misbehave', () => {
  it('a solver that aborts is a crash, its words cut to a readable length', async () => {
    const { outcome } = await fake('aborts', 5000)
    expect(outcome).toMatchObject({ stop: 'crash' })
    expect(outcome.values).toBeUndefined()
    expect(outcome.raw.length).toBeLessThan(700)
  })

  it('a worker that dies is a crash', async () => {
    const { outcome } = await fake('dies', 5000)
    expect(outcome).toMatchObject({ stop: 'crash' })
    expect(outcome.status).toBeUndefined()
  })

  it.each(['hangs', 'silent'] as const)('one that %s ends at its time limit', async kind => {
    const { outcome, ms } = await fake(kind)
    expect(outcome).toMatchObject({ stop: 'time' })
    expect(outcome.status).toBeUndefined()
    expect(ms).toBeGreaterThan(550)
    expect(ms).toBeLessThan(2500)
  })

  it('a point that breaks the model is dropped with its claims', async () => {
    const { outcome } = await fake('illegal-point', 5000)
    expect(outcome.stop).toBe('crash')
    expect([outcome.values, outcome.status, outcome.claimedBound]).toEqual([undefined, undefined, undefined])
    expect(outcome.raw).toMatch(/not a solution: x0 = 1000000000/)
  })

  it('a false bound stays what it is, a claim without a point', async () => {
    const { outcome } = await fake('false-bound', 5000)
    expect(outcome).toMatchObject({ stop: 'proved', status: 'infeasible' })
    expect(outcome.values).toBeUndefined()
  })

  it('a stop that nobody knows says nothing', async () => {
    const { outcome } = await fake('unknown-stop', 5000)
    expect(outcome.stop).toBe('crash')
    expect(outcome.status).toBeUndefined()
  })

  it('covers every fake', () => {
    expect(FAKE_KINDS).toHaveLength(7)
  })
})

describe('what a solver hands over while it runs', () => {
  it('is no point that breaks the model, and no nonsense', async () => {
    const { outcome, findings } = await stream('streams-lies')
    // Bounds cannot be checked here: they stay claims.
    expect(findings.map(({ claimedBound }) => claimedBound)).toEqual([1e9, 2e9, 3e9])
    expect(findings.every(({ values }) => values === undefined)).toBe(true)
    expect(outcome).toMatchObject({ stop: 'time', claimedBound: 3e9 })
    expect(outcome.values).toBeUndefined()
  })

  it.each(['streams-then-hangs', 'streams-then-dies'] as const)('outlives one that %s', async kind => {
    const { outcome, findings } = await stream(kind)
    expect(findings.map(({ values }) => values?.[0])).toEqual([9, 4, 6, undefined])
    expect(findings.map(({ claimedBound }) => claimedBound)).toEqual([1, undefined, undefined, 2])
    const stopped = kind === 'streams-then-hangs'
    expect(outcome).toMatchObject({
      stop: stopped ? 'time' : 'crash',
      status: 'feasible',
      values: Float64Array.of(4),
      engine: { name: `fake ${kind}` }
    })
    expect(outcome.claimedBound).toBe(stopped ? 2 : undefined)
  })

  it('outlives a cancellation', async () => {
    const abort = new AbortController()
    const { outcome } = await stream('streams-then-hangs', {
      signal: abort.signal,
      onFinding: ({ claimedBound }) => claimedBound === 2 && abort.abort()
    })
    expect(outcome).toMatchObject({
      stop: 'cancelled',
      status: 'feasible',
      values: Float64Array.of(4),
      claimedBound: 2
    })
  })

  it('refutes an outcome that denies it', async () => {
    const { outcome } = await stream('streams-then-denies')
    expect(outcome).toMatchObject({ stop: 'crash', status: 'feasible', values: Float64Array.of(3) })
    expect(outcome.raw).toBe('infeasible; its own point refutes "infeasible"')
  })

  it('is of its own question, never of the next one to the same worker', async () => {
    const [first, second] = [await stream('streams-late'), await stream('streams-late')]
    expect([first.findings, second.findings]).toEqual([[], []])
    expect(second.outcome.claimedBound).toBeUndefined()
  })

  it('stops the run where the caller cannot take it, and throws that again', async () => {
    const onFinding = () => {
      throw new Error('no room')
    }
    await expect(stream('streams-then-hangs', { onFinding })).rejects.toThrow('no room')
  })

  it('comes through a child process too', async () => {
    const { outcome, findings } = await stream('streams-then-dies', {}, { memoryBytes: 2e9, timeLimitMs: 20_000 })
    expect(findings).toHaveLength(4)
    expect(outcome).toMatchObject({ stop: 'crash', status: 'feasible', values: Float64Array.of(4) })
  })
})

describe('runBackend', () => {
  it('is cancelled by its signal', async () => {
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 100)
    const outcome = await runBackend(
      host,
      'hangs',
      { model: toy, timeLimitMs: 20_000 },
      { backends: [fakeBackend('hangs')], signal: abort.signal }
    )
    expect(outcome.stop).toBe('cancelled')
  })

  it('refuses an unknown solver and a malformed model before it starts anything', async () => {
    const codes = async (run: Promise<unknown>) =>
      run.then(
        () => [],
        (error: unknown) => (error instanceof FaultError ? error.faults.map(fault => fault.code) : [String(error)])
      )
    expect(await codes(runBackend(host, 'cplex', { model: toy, timeLimitMs: 1 }))).toEqual(['UNKNOWN_SOLVER'])
    const wrong: Milp = {
      ...toy,
      rows: [
        {
          terms: [
            [0, Number.NaN],
            [0, 1],
            [3, 1]
          ],
          lower: 1
        }
      ]
    }
    expect(await codes(runBackend(host, 'glpk', { model: wrong, timeLimitMs: 1 }))).toEqual(
      Array(3).fill('MODEL_INVALID')
    )
  })

  it('asks a solver for its version', async () => {
    expect(await backendVersion(host, 'glpk')).toEqual({ name: 'GLPK', version: '5.0 (glpk.js)' })
    expect(
      await backendVersion(host, 'nobody', {
        backends: [{ ...fakeBackend('aborts', 'nobody'), module: 'file:///nowhere.js' }]
      })
    ).toBeUndefined()
  })

  it('says how to get a solver that is not installed', async () => {
    const absent = { ...fakeBackend('aborts', 'absent'), module: 'no-such-package-anywhere', install: 'npm install it' }
    const outcome = await runBackend(host, 'absent', { model: toy, timeLimitMs: 5000 }, { backends: [absent] })
    expect(outcome.raw).toBe('absent is not installed; install it with: npm install it')
  })
})
