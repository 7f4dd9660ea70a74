import { afterAll, describe, expect, it } from 'vitest'
import { jointBounds, placementBounds, transferBounds } from '../../src/bounds/index.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import { proveOptimal } from '../../src/prove/optimal.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { CommunicationModel, Measured } from '../../src/schedule/measured.ts'
import { latencyRelaxation } from '../../src/schedule/relax.ts'
import { releaseSolvers } from '../../src/solvers/index.ts'
import { bruteForceTransfers } from '../support/brute-force-transfers.ts'
import { generateMeasured } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

/** Tiny instances with lags that matter: two ranks, two or three microbatches, encoders frozen or trained. */
function tiny(seed: number, model: CommunicationModel): Measured {
  const drawn = generateMeasured(seed, {
    ranks: 2,
    microbatches: model === 'link' ? 3 : 2,
    chunks: 1,
    source: 'transposed',
    zeros: false,
    bytes: false,
    // Where 1F1B waits for a round trip, queues hide: forwards one after the other show them.
    skeleton: model === 'link' ? 'gpipe' : '1f1b'
  })
  const lag = (model === 'link' ? 16 : 1) + (seed % 4)
  return { ...drawn, communication: { ...drawn.communication, model, send: lag, gather: lag + 7, scatter: lag } }
}

describe.each(['link', 'blocking'] as const)('optimum under %s', model => {
  it('placement: between bound and answer, and equal where the answer says so', async () => {
    const seen = { cases: 0, found: 0, proved: 0, decided: 0, rechecked: 0, aboveLatency: 0 }
    for (let seed = 0; seed < 7; seed++) {
      const measured = tiny(seed, model)
      const problem = buildProblem(measured)
      const body = bodySequences(problem, bodyOrder(measured))
      const optimum = bruteForceTransfers(problem, body)
      const { answer } = await optimize(measured, { timeLimitMs: 10_000 }, host)
      if (answer.status !== 'optimal' && answer.status !== 'feasible') throw new Error(answer.status)
      expect(answer.certificate.lowerBound, `seed ${seed}`).toBeLessThanOrEqual(optimum)
      expect(answer.value, `seed ${seed}`).toBeGreaterThanOrEqual(optimum)
      if (answer.status === 'optimal') expect(answer.value).toBe(optimum)
      if (answer.status === 'optimal' && seen.cases < 4) {
        const options = { host, timeLimitMs: 20_000 }
        const proof = await proveOptimal(measured, answer.point.document, answer.certificate, options)
        expect(proof.document.optimal, `seed ${seed}`).toMatchObject({ status: 'proved' })
        seen.rechecked++
      }
      seen.cases++
      if (answer.value === optimum) seen.found++
      if (answer.status === 'optimal') seen.proved++
      if (answer.status === 'optimal' && answer.certificate.evidence[0].kind === 'smt-unsat') seen.decided++
      if (optimum > bruteForceTransfers(latencyRelaxation(problem), body)) seen.aboveLatency++
    }
    expect(seen.cases).toBe(7)
    expect(seen.found, JSON.stringify(seen)).toBeGreaterThanOrEqual(5)
    expect(seen.decided, JSON.stringify(seen)).toBeGreaterThanOrEqual(3)
    expect(seen.rechecked).toBeGreaterThanOrEqual(2)
    expect(seen.aboveLatency).toBeGreaterThanOrEqual(2)
  })

  it('joint and placement: no bound exceeds the optimum', () => {
    let [applied, stronger] = [0, 0]
    for (let seed = 100; seed < 118; seed++) {
      const measured = tiny(seed, model)
      const problem = buildProblem(measured)
      const relaxed = latencyRelaxation(problem)
      const body = bodySequences(problem, bodyOrder(measured))
      const placed = bruteForceTransfers(problem, body)
      const free = bruteForceTransfers(
        problem,
        body.map(() => [])
      )
      expect(free, `seed ${seed}`).toBeLessThanOrEqual(placed)
      const [joint, fixed] = [jointBounds(relaxed), placementBounds(relaxed, body)]
      const extra = transferBounds(relaxed, model)
      for (const bound of [...joint, ...extra]) expect(bound.ticks, `${seed} ${bound.name}`).toBeLessThanOrEqual(free)
      for (const bound of fixed) expect(bound.ticks, `${seed} ${bound.name}`).toBeLessThanOrEqual(placed)
      expect(extra).toHaveLength(1)
      expect(extra[0].terms.reduce((total, term) => total + term.ticks, 0)).toBe(extra[0].ticks)
      applied++
      if (extra[0].ticks > joint[0].ticks) stronger++
    }
    expect(applied).toBe(18)
    if (model === 'blocking') expect(stronger).toBeGreaterThanOrEqual(3)
  })
})

describe('bounds of transfers', () => {
  it('link: a slow link is the bottleneck, and its bound proves the optimum', async () => {
    const measured = sketch({ ranks: 2, microbatches: 6, forward: 1, backward: 1, slab: { trainable: false } })
    const slow = { ...measured, communication: { ...measured.communication, model: 'link' as const, send: 20 } }
    const { answer } = await optimize(slow, { timeLimitMs: 2_000 }, host)
    if (answer.status === 'infeasible' || answer.status === 'unknown') throw new Error(answer.status)
    // Nothing is trained: six activations of 20 ticks behind the first forward, then the last forward.
    expect(answer.certificate.evidence[0]).toMatchObject({ kind: 'bound', name: 'link-load' })
    expect(answer.certificate.lowerBound).toBe(1 + 6 * 20 + 1)
    if (answer.status !== 'optimal') throw new Error(answer.status)
    const options = { host, timeLimitMs: 5_000 }
    const proof = await proveOptimal(slow, answer.point.document, answer.certificate, options)
    expect(proof.document.optimal).toMatchObject({ status: 'proved' })
    const plain = { ...slow, communication: { ...slow.communication, model: 'latency' as const } }
    const bound = { ...answer.certificate }
    const without = await proveOptimal(plain, answer.point.document, bound, options)
    expect(without.document.optimal?.status).not.toBe('proved')
  })

  it('every problem kind answers under both models, never below latency', async () => {
    for (const model of ['link', 'blocking'] as const) {
      for (const problem of ['owner', 'placement', 'reorder', 'joint'] as const) {
        const measured = tiny(7, model)
        const { answer, crossCheck } = await optimize(measured, { problem, timeLimitMs: 300 }, host)
        if (answer.status !== 'optimal' && answer.status !== 'feasible') throw new Error(`${problem} ${answer.status}`)
        const sequences = answer.schedule.sequences
        const split = problem === 'joint'
        const plain = evaluate(latencyRelaxation(buildProblem(measured, { split })), sequences)
        if (plain.kind === 'cycle') throw new Error('cycle')
        expect(answer.value).toBeGreaterThanOrEqual(plain.schedule.makespan)
        expect(crossCheck.holds).not.toBe(false)
      }
    }
  })
})
