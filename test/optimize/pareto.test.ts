import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { largestPeak } from '../../src/optimize/capped.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import { paretoFront } from '../../src/optimize/pareto.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { releaseSolvers } from '../../src/solvers/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { bruteForcePlacement } from '../support/brute-force.ts'
import { generateMeasured } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

type Case = {
  readonly encoder: number[]
  readonly trainable?: boolean
  readonly bytes: number
  readonly forward: number
}

/** Two ranks, three microbatches: encodes beside live activations trade time for memory. */
const CASES: readonly Case[] = [
  { encoder: [3, 3, 3], bytes: 5, forward: 2 },
  { encoder: [5, 2, 4], bytes: 6, forward: 2 },
  { encoder: [1, 1, 1], bytes: 9, forward: 4 },
  { encoder: [2, 3, 1], trainable: true, bytes: 5, forward: 2 }
]

function tiny({ encoder, trainable = false, bytes, forward }: Case): Measured {
  const encoderBackward = trainable ? 2 : 0
  const memory = { source: { activation: bytes }, slab: { activation: 4 } }
  return sketch({ ranks: 2, microbatches: 3, encoder, encoderBackward, trainable, forward, backward: 3, ...memory })
}

function generated(seed: number): Measured {
  const shape = { ranks: 2, microbatches: 2 + (seed % 2), chunks: 1, trainableSource: false } as const
  return generateMeasured(seed, { ...shape, source: 'transposed', skeleton: '1f1b', encoderBackward: 'owner' })
}

/** Optimum where no rank may hold more than `bytes`, by enumeration. */
function optimumAt(measured: Measured, bytes: number): number | undefined {
  const problem = buildProblem({ ...measured, capacity: measured.capacity.map(() => bytes) })
  return bruteForcePlacement(problem, bodySequences(problem, bodyOrder(measured)), Number.POSITIVE_INFINITY)
}

describe('pareto front', () => {
  it('is the front that enumeration finds, each point legal and proved', async () => {
    const seen = { complete: 0, proved: 0, neighbours: 0 }
    for (const [name, one] of CASES.entries()) {
      const measured = tiny(one)
      const front = await paretoFront(measured, { timeLimitMs: 15_000 }, host)
      if (front.complete) seen.complete++
      const { points } = front
      expect(front.first.answer).toMatchObject({ value: points[0].makespan })
      for (const [index, { peak, makespan, answer, proved }] of points.entries()) {
        const capacity = measured.capacity.map(() => peak)
        expect(verify({ ...measured, capacity }, answer.point.document).legal).toBe(true)
        expect(proved).toBe(answer.certificate.lowerBound === makespan)
        if (index > 0) expect(makespan).toBeGreaterThan(points[index - 1].makespan)
        if (!proved) continue
        expect(optimumAt(measured, peak), `case ${name}`).toBe(makespan)
        seen.proved++
        const next = points.at(index + 1)
        if (next ? !next.proved : !front.complete) continue
        expect(optimumAt(measured, peak - 1), `case ${name}`).toBe(next?.makespan)
        seen.neighbours++
      }
    }
    expect(seen.complete, JSON.stringify(seen)).toBeGreaterThanOrEqual(1)
    expect(seen.proved, JSON.stringify(seen)).toBeGreaterThanOrEqual(5)
    expect(seen.neighbours, JSON.stringify(seen)).toBeGreaterThanOrEqual(2)
  }, 120_000)

  it('ends with a point that needs no memory', async () => {
    const measured = sketch({ ranks: 2, microbatches: 2, forward: 2, backward: 4, encoder: [3, 3] })
    const front = await paretoFront(measured, { timeLimitMs: 15_000 }, host)
    expect(front.points).toMatchObject([{ peak: 0, proved: true }])
    expect(front).toMatchObject({ complete: true })
    expect(front.end).toBeUndefined()
  })

  it('says what it does not know when the time is up', async () => {
    const front = await paretoFront(tiny(CASES[0]), { timeLimitMs: 0 }, host)
    expect(front.complete).toBe(false)
    expect(front.end).toBeUndefined()
  })
})

describe('tie-break by memory', () => {
  it('keeps the makespan and proves the smallest peak', async () => {
    let [proved, smaller] = [0, 0]
    // Generated instances whose first optimal schedule has a peak that another one undercuts, and the sketches.
    for (const measured of [generated(5), generated(14), ...CASES.slice(0, 3).map(tiny)]) {
      const plain = await optimize(measured, { timeLimitMs: 8_000 }, host)
      const tied = await optimize(measured, { timeLimitMs: 8_000, tieBreak: 'memory' }, host)
      if (plain.answer.status !== 'optimal' || tied.answer.status !== 'optimal') continue
      expect(tied.answer.value).toBe(plain.answer.value)
      expect(plain.tieBreak).toBeUndefined()
      const { peak, proved: isProved } = tied.tieBreak!
      expect(largestPeak(tied)).toBe(peak)
      expect(peak).toBeLessThanOrEqual(largestPeak(plain)!)
      if (peak < largestPeak(plain)!) smaller++
      if (!isProved) continue
      proved++
      expect(optimumAt(measured, peak)).toBe(tied.answer.value)
      expect(optimumAt(measured, peak - 1) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(tied.answer.value)
    }
    expect(proved).toBeGreaterThanOrEqual(2)
    expect(smaller).toBeGreaterThanOrEqual(1)
  }, 120_000)
})
