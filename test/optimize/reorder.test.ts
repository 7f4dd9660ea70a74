import { afterAll, describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import { distinctInjections, injected } from '../../src/optimize/reorder.ts'
import { strategyOf } from '../../src/optimize/strategies.ts'
import { placementTask } from '../../src/optimize/tasks.ts'
import { proveOptimal } from '../../src/prove/optimal.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { releaseSolvers } from '../../src/solvers/index.ts'
import { bruteForcePlacement } from '../support/brute-force.ts'
import { seededRandom } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

/** Uneven encodes before an even backbone, sometimes with little memory, sometimes trained. */
function uneven(seed: number): Measured {
  const random = seededRandom(seed)
  const trainable = seed % 4 === 3
  const [ranks, microbatches] = trainable ? [2, 2] : [random.int(2, 3), 3]
  const encoder = range(microbatches).map(() => random.int(1, 12))
  const measured = sketch({
    ranks,
    microbatches,
    encoder,
    trainable,
    encoderBackward: encoder.map(ticks => 2 * ticks),
    forward: random.int(1, 3),
    backward: random.int(2, 5),
    lag: random.int(0, 2),
    slab: { activation: 1 }
  })
  return seed % 4 === 2 ? { ...measured, capacity: range(ranks).map(rank => ranks - rank) } : measured
}

/** The least optimum of `placement` over all injection orders, each by brute force. */
function bruteForce(measured: Measured): number | undefined {
  const task = placementTask(measured)
  let best: number | undefined
  for (const injection of distinctInjections(task.problem, 100) ?? []) {
    const one = injected(task, injection)
    best = bruteForcePlacement(one.problem, one.body, best ?? task.longest + 1) ?? best
  }
  return best
}

describe('reorder', () => {
  it('is exact where only encoder work tells microbatches apart, frozen or trained', async () => {
    const seen = { cases: 0, exact: 0, reordered: 0, rechecked: 0 }
    for (const seed of range(14)) {
      const measured = uneven(seed)
      const truth = bruteForce(measured)
      const { answer } = await optimize(measured, { problem: 'reorder', timeLimitMs: 20_000 }, host)
      seen.cases++
      if (truth === undefined) {
        expect(['infeasible', 'unknown']).toContain(answer.status)
        continue
      }
      if (!('point' in answer)) throw new Error(`seed ${seed}: ${answer.status}`)
      expect(answer.certificate.lowerBound, `seed ${seed}`).toBeLessThanOrEqual(truth)
      expect(answer.value, `seed ${seed}`).toBeGreaterThanOrEqual(truth)
      expect(answer, `seed ${seed}`).toMatchObject({ status: 'optimal', value: truth })
      seen.exact++
      const placed = bruteForcePlacement(placementTask(measured).problem, placementTask(measured).body, 1_000)
      if (placed !== undefined && placed > truth) seen.reordered++
      if (answer.certificate.evidence[0].kind === 'bound' || seen.rechecked > 2) continue
      const proof = await proveOptimal(measured, answer.point.document, answer.certificate, {
        host,
        timeLimitMs: 20_000
      })
      expect(proof.document.optimal, `seed ${seed}`).toMatchObject({ status: 'proved' })
      seen.rechecked++
    }
    expect(seen.exact, JSON.stringify(seen)).toBeGreaterThanOrEqual(11)
    expect(seen.reordered, JSON.stringify(seen)).toBeGreaterThanOrEqual(2)
    expect(seen.rechecked, JSON.stringify(seen)).toBeGreaterThanOrEqual(1)
  })

  it('asks exact solvers where there are too many injection orders to look at each', async () => {
    const encoder = [29, 9, 9, 14, 14, 7, 9, 20]
    const measured = sketch({ ranks: 2, microbatches: 9, encoder: [...encoder, 11], forward: 10, backward: 20, lag: 1 })
    expect(distinctInjections(placementTask(measured).problem, 5_040)).toBeUndefined()
    const { answer, attempts } = await optimize(measured, { problem: 'reorder', timeLimitMs: 4_000 }, host)
    if (!('point' in answer)) throw new Error(answer.status)
    expect(answer.value - answer.certificate.lowerBound).toBeLessThanOrEqual(2)
    if (answer.status === 'feasible') expect(attempts.map(({ by }) => by)).toContain('z3')
  })
})

describe('microbatches of unequal length', () => {
  /** Long and short microbatches by turns: the given order is far from the best. */
  function byTurns(microbatches: number): Measured {
    const lengths = range(microbatches).map(m => (m % 2 === 0 ? 14 : 6))
    const twice = lengths.map(ticks => 2 * ticks)
    return sketch({ ranks: 3, microbatches, encoder: lengths, forward: lengths, backward: twice, lag: 1 })
  }

  it('whatever holds of every order of the body bounds every injection order', () => {
    for (const microbatches of [2, 4, 6]) {
      const measured = byTurns(microbatches)
      const [reorder, joint] = (['reorder', 'joint'] as const).map(problem =>
        strategyOf(measured, { problem, objective: 'makespan' }).bounds(true)
      )
      expect(reorder[0].ticks).toBeGreaterThanOrEqual(joint[0].ticks)
    }
  })

  it('joint starts from other injection orders too, and ends no worse than the best of them', async () => {
    const measured = byTurns(4)
    const options = { backends: [], deterministic: true } as const
    const [reorder, joint] = await Promise.all(
      (['reorder', 'joint'] as const).map(problem => optimize(measured, { ...options, problem }, host))
    )
    if (!('value' in reorder.answer && 'value' in joint.answer)) throw new Error('no schedule')
    expect(joint.answer.value).toBeLessThanOrEqual(reorder.answer.value)
    expect(joint.attempts.map(({ by }) => by)).toContain('order of microbatches')
  })
})
