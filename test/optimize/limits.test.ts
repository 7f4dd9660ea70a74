import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { parseInstance } from '../../src/instance/index.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import type { Progress } from '../../src/optimize/types.ts'
import { BACKENDS, releaseSolvers } from '../../src/solvers/index.ts'
import { fakeBackend } from '../support/fakes.ts'
import { openInstance, sketch } from '../support/measured.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

function hard() {
  const file = resolve(import.meta.dirname, '../../instances/stress/trainable-8x32-seed11.yaml')
  const parsed = parseInstance(readFileSync(file, 'utf8'), 'yaml')
  if (!parsed.ok) throw new Error(parsed.faults[0].message)
  return parsed.measured
}

describe('what is asked for', () => {
  const tiny = sketch({ ranks: 2, microbatches: 2, encoder: 3 })

  it('is refused where the solver is not installed, even if no solver is needed', async () => {
    const absent = { ...fakeBackend('aborts'), install: 'npm install aborts', module: 'file:///no/such/module.js' }
    const faults = optimize(tiny, { solver: 'aborts', backends: [absent] }, host).catch(error => error.faults)
    expect(await faults).toMatchObject([{ code: 'SOLVER_ABSENT', value: 'aborts' }])
    const { answer } = await optimize(tiny, { backends: [absent] }, host)
    expect(answer.status).toBe('optimal')
  })

  it.each(['placement', 'reorder', 'joint'] as const)('spill is no objective of %s', async problem => {
    const faults = optimize(tiny, { problem, objective: 'spill' }, host).catch(error => error.faults)
    expect(await faults).toMatchObject([{ code: 'OBJECTIVE', value: 'spill' }])
  })
})

describe('limits', () => {
  it('returns soon after one second with incumbent, bound and gap', async () => {
    const began = host.now()
    const { answer } = await optimize(hard(), { timeLimitMs: 1_000 }, host)
    expect(host.now() - began).toBeLessThan(3_000)
    expect(['optimal', 'feasible']).toContain(answer.status)
    expect(answer.certificate.lowerBound).toBeGreaterThan(0)
  })

  it('returns the incumbent when cancelled', async () => {
    const controller = new AbortController()
    const cancel = host.after(300, () => controller.abort())
    const began = host.now()
    const { answer } = await optimize(hard(), { timeLimitMs: 60_000, signal: controller.signal }, host)
    cancel()
    expect(host.now() - began).toBeLessThan(5_000)
    expect(answer.status).toBe('feasible')
  })

  it('cancelled before it came to the derived order, passes its cross-check all the same', async () => {
    const one = { encoder: 1, encoderBackward: 1, trainable: true }
    const measured = sketch({ ranks: 2, microbatches: 4, ...one, forward: 3, backward: 5, lag: 1 })
    const { answer, crossCheck } = await optimize(measured, { problem: 'joint', signal: AbortSignal.abort() }, host)
    expect(answer).toMatchObject({ status: 'feasible', value: 49 })
    expect(crossCheck).toMatchObject({ closedForm: { exact: 48 }, optimum: 49, holds: true })
  })

  it('reports progress that never gets worse', async () => {
    const seen: Progress[] = []
    await optimize(hard(), { timeLimitMs: 1_500, onProgress: progress => seen.push(progress) }, host)
    expect(seen.length).toBeGreaterThan(2)
    for (const [index, { incumbent = Number.POSITIVE_INFINITY, lowerBound }] of seen.entries()) {
      const before = seen[index - 1]
      if (!before) continue
      expect(incumbent).toBeLessThanOrEqual(before.incumbent ?? Number.POSITIVE_INFINITY)
      expect(lowerBound).toBeGreaterThanOrEqual(before.lowerBound)
      expect(incumbent).toBeGreaterThanOrEqual(lowerBound)
    }
  })

  it('gives the same answer twice with --deterministic', async () => {
    const instance = sketch({
      ranks: 3,
      microbatches: 4,
      encoder: [7, 3, 9, 4],
      encoderBackward: [14, 6, 18, 8],
      trainable: true,
      lag: 1
    })
    const [one, two] = [0, 1].map(() => optimize(instance, { deterministic: true, timeLimitMs: 120_000 }, host))
    const [a, b] = [(await one).answer, (await two).answer]
    expect(a.status).toBe(b.status)
    expect('value' in a && a.value).toBe('value' in b && b.value)
    expect(a.certificate.lowerBound).toBe(b.certificate.lowerBound)
  })

  it('asks no clock with --deterministic: one that runs wild, and no time at all, change nothing', async () => {
    const file = resolve(import.meta.dirname, '../../instances/smoke/memory-tight-2x3.yaml')
    const parsed = parseInstance(readFileSync(file, 'utf8'), 'yaml')
    if (!parsed.ok) throw new Error(parsed.faults[0].message)
    const wild = { ...host, now: () => 1e6 * host.now() }
    for (const problem of ['placement', 'joint'] as const) {
      const options = { problem, deterministic: true, timeLimitMs: 60_000 }
      const calm = (await optimize(parsed.measured, options, host)).answer
      const rushed = (await optimize(parsed.measured, { ...options, timeLimitMs: 1 }, wild)).answer
      expect(calm.status, problem).toBe('optimal')
      expect([rushed.status, 'value' in rushed && rushed.value]).toEqual(['optimal', 'value' in calm && calm.value])
    }
    await releaseSolvers(wild)
  })
})

describe('the solvers of auto', () => {
  it('are told apart: every one is used, or there is a reason', async () => {
    const open = openInstance()
    let phases = 0
    for (const problem of ['placement', 'owner', 'joint'] as const) {
      const { attempts } = await optimize(open, { problem, timeLimitMs: 20_000 }, host)
      if (attempts.every(({ by }) => by !== 'auto')) continue
      phases++
      const skipped = attempts.flatMap(({ result }) => (result.startsWith('not used: ') ? [result] : []))
      for (const { id } of BACKENDS) {
        const used = attempts.some(({ by }) => by === id)
        const reason = skipped.find(text => text.startsWith(`not used: ${id}: `))
        // CP-SAT may come too late to be tried at all: the others were done before it was asked.
        if (id !== 'cpsat') expect(used || reason !== undefined, `${problem} ${id}`).toBe(true)
        if (reason) expect(reason.length).toBeGreaterThan(`not used: ${id}: `.length + 10)
      }
    }
    expect(phases).toBeGreaterThanOrEqual(1)
  })

  it('say how to get CP-SAT where it is not installed, and go on without it', async () => {
    const absent = BACKENDS.map(info => (info.id === 'cpsat' ? { ...info, module: 'file:///no/such/module.js' } : info))
    const measured = sketch({ ranks: 3, microbatches: 5, encoder: [9, 7, 8, 3, 6], forward: 3, backward: 7, lag: 1 })
    const { answer, attempts } = await optimize(
      measured,
      { problem: 'joint', backends: absent, timeLimitMs: 4_000 },
      host
    )
    expect(['optimal', 'feasible']).toContain(answer.status)
    const tried = attempts.find(({ by }) => by === 'cpsat')
    if (tried) expect(tried.result).toMatch(/npm i or-tools-wasm|cancelled/)
  })
})
