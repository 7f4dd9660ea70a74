import { afterAll, describe, expect, it } from 'vitest'
import { FaultError } from '../../src/base/fault.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { backendVersion, type Outcome, releaseSolvers, runBackend } from '../../src/solvers/index.ts'
import type { Milp } from '../../src/solvers/port.ts'
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

describe('runBackend with solvers that misbehave', () => {
  it('a solver that aborts is a crash, its words cut to a readable length', async () => {
    const { outcome } = await fake('aborts')
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
