import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { jointBounds } from '../../src/bounds/index.ts'
import { recheckBound } from '../../src/prove/optimal/bounds.ts'
import { frameOf } from '../../src/prove/optimal/frame.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { bruteForceTransfers } from '../support/brute-force-transfers.ts'
import { seededRandom } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const packing = (measured: Measured) =>
  jointBounds(buildProblem(measured, { split: true })).find(({ name }) => name === 'encode-packing')

describe('encodes that cannot be cut', () => {
  it('six long encodes do not fit the idle stretches of four ranks, though their ticks would', () => {
    const encoder = [9, 11, 33, 35, 35, 35, 37, 40]
    const measured = sketch({ ranks: 4, microbatches: 8, encoder, forward: 10, backward: 20, lag: 1 })
    const bound = packing(measured)
    // The busiest rank alone says 345; CP-SAT finds a schedule of 349.
    expect(bound?.ticks).toBe(349)
    const frame = frameOf(measured, undefined, { split: true })
    if (!bound) throw new Error('no bound')
    expect(recheckBound(frame, bound)).toMatchObject({ confirmed: true })
    expect(recheckBound(frame, { ...bound, ticks: 350 })).toMatchObject({ confirmed: false })
  })

  it('is absent where encodes are many, or there are none', () => {
    expect(packing(sketch({ ranks: 2, microbatches: 11, encoder: 5 }))).toBeUndefined()
    expect(packing(sketch({ ranks: 2, microbatches: 3 }))).toBeUndefined()
  })

  it('never exceeds the optimum of any body order, and is worked out alike a second time', () => {
    const seen = { cases: 0, tight: 0, strongest: 0 }
    for (const seed of range(60)) {
      const random = seededRandom(seed)
      const trainable = random.chance(0.3)
      const encoder = range(2).map(() => random.int(1, 30))
      const measured = sketch({
        ranks: 2,
        microbatches: 2,
        encoder,
        encoderBackward: encoder,
        trainable,
        forward: random.int(1, 6),
        backward: random.int(1, 9),
        lag: random.int(0, 2)
      })
      const problem = buildProblem(measured)
      const bounds = jointBounds(problem)
      const bound = bounds.find(({ name }) => name === 'encode-packing')
      if (!bound) throw new Error(`seed ${seed}`)
      const optimum = bruteForceTransfers(problem, [[], []])
      expect(bound.ticks, `seed ${seed}`).toBeLessThanOrEqual(optimum)
      expect(recheckBound(frameOf(measured, undefined), bound), `seed ${seed}`).toMatchObject({ confirmed: true })
      seen.cases++
      if (bound.ticks === optimum) seen.tight++
      if (bounds.every(other => other === bound || other.ticks < bound.ticks)) seen.strongest++
    }
    expect(seen.cases).toBe(60)
    expect(seen.tight, JSON.stringify(seen)).toBeGreaterThanOrEqual(10)
    expect(seen.strongest, JSON.stringify(seen)).toBeGreaterThanOrEqual(3)
  })
})
