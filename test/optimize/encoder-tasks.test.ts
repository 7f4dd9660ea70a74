import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import type { ProblemName, SolveOptions } from '../../src/optimize/types.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { backendVersion, releaseSolvers } from '../../src/solvers/index.ts'
import { encoderParts, generateMeasured, seededRandom } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const host = nodeHost()
const hasCpSat = (await backendVersion(host, 'cpsat')) !== undefined
afterAll(() => releaseSolvers(host))

async function optimum(measured: Measured, problem: ProblemName, more: Partial<SolveOptions> = {}): Promise<number> {
  const { answer } = await optimize(measured, { problem, timeLimitMs: 60_000, ...more }, host)
  expect(answer.status).toBe('optimal')
  return 'value' in answer ? answer.value : Number.NaN
}

/** Small enough for every problem to be settled: 2 ranks, 2 microbatches. */
function small(seed: number): Measured {
  const whole = generateMeasured(seed, {
    ranks: 2,
    microbatches: 2,
    source: 'transposed',
    chunks: 1,
    split: false,
    trainableSource: seed % 2 === 0
  })
  return { ...whole, ...encoderParts(seededRandom(seed + 99), 2) }
}

/** Seeds whose four problems all settle within a second. */
const SETTLED = [0, 1, 3, 4, 5, 7, 9, 11]

describe('several encodes per microbatch', () => {
  it('an image per rank: two of 10 ticks cost 10 and a gather, not 20', async () => {
    const whole = sketch({ ranks: 2, microbatches: 1, encoder: 20, forward: 5, backward: 5, lag: 1 })
    expect(await optimum(whole, 'placement')).toBe(20 + 2 * 5 + 1 + 5 + 1 + 5)
    expect(await optimum({ ...whole, items: [[1, 1]] }, 'placement')).toBe(11 + 2 * 5 + 1 + 5 + 1 + 5)
  })

  it('chunks fill bubbles that no whole encode fits', async () => {
    const whole = sketch({ ranks: 2, microbatches: 3, encoder: [0, 22, 22], forward: 10, backward: 20, lag: 2 })
    const values = [
      await optimum(whole, 'placement'),
      await optimum({ ...whole, chunks: 2 }, 'placement'),
      await optimum({ ...whole, chunks: 3 }, 'placement')
    ]
    expect(values).toEqual([138, 135, 134])
  })

  it('the freer the problem, the shorter its optimum; parts never cost anything without memory', async () => {
    const shorter = { placement: 0, reorder: 0, joint: 0 }
    for (const seed of SETTLED) {
      const parts = small(seed)
      const { chunks: _, items: __, ...whole } = parts
      const [owner, placement] = [await optimum(parts, 'owner'), await optimum(parts, 'placement')]
      const [reorder, joint] = [await optimum(parts, 'reorder'), await optimum(parts, 'joint')]
      expect(placement, `seed ${seed}`).toBeLessThanOrEqual(owner)
      expect(reorder, `seed ${seed}`).toBeLessThanOrEqual(placement)
      expect(joint, `seed ${seed}`).toBeLessThanOrEqual(reorder)
      const plain = await optimum(whole, 'placement')
      expect(placement, `seed ${seed}`).toBeLessThanOrEqual(plain)
      if (placement < plain) shorter.placement++
      if (reorder < placement) shorter.reorder++
      if (joint < reorder) shorter.joint++
    }
    expect(shorter.placement).toBeGreaterThanOrEqual(1)
    expect(shorter.reorder).toBeGreaterThanOrEqual(3)
    expect(shorter.joint).toBeGreaterThanOrEqual(2)
  })

  it.skipIf(!hasCpSat).each([4])('Z3 and CP-SAT agree on joint, seed %i', async seed => {
    const parts = small(seed)
    const value = await optimum(parts, 'joint', { solver: 'z3' })
    const { answer } = await optimize(parts, { problem: 'joint', timeLimitMs: 60_000, solver: 'cpsat' }, host)
    expect('value' in answer && answer.value).toBe(value)
  })
})
