import { describe, expect, it } from 'vitest'
import { layoutOf } from '../../src/algebra/types.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { fitsMemory, peakBytes } from '../../src/schedule/memory.ts'
import { verify } from '../../src/verify/verify.ts'
import { generateTimed, type Timed } from '../support/timed.ts'

const CASES = 500

const withCapacity = (measured: Measured, capacity: readonly (number | undefined)[]): Measured => ({
  ...measured,
  capacity
})

describe('verify agrees with the evaluator and the memory profile', { timeout: 180_000 }, () => {
  it('finds every evaluated order legal, with the same makespan and the same peaks', () => {
    const seen = {
      frozen: 0,
      trained: 0,
      firstRank: 0,
      split: 0,
      gpipe: 0,
      chunks: 0,
      merged: 0,
      pipelined: 0,
      noWork: 0,
      tight: 0,
      body: 0
    }
    for (let seed = 0; seed < CASES; seed++) {
      const timed = generateTimed(seed)
      const { measured, problem, document, body, keepsBody } = timed
      expect(verify(measured, document), `seed ${seed}`).toMatchObject({ legal: true })
      const split = problem.events.some(event => event.key.kind === 'I')
      if (keepsBody) {
        expect(verify(measured, document, { bodyFixed: body }), `seed ${seed}`).toMatchObject({ legal: true })
        seen.body++
      }
      seen.tight += checkPeaks(timed, seed)
      const source = measured.regions[0]
      const transposed = layoutOf(source.skeleton) === 'Replicated'
      const trained = source.stages.flat().some(slab => slab.trainable)
      if (transposed && !trained) seen.frozen++
      if (transposed && trained) seen.trained++
      if (transposed && trained && measured.encoderBackward === 'first-rank') seen.firstRank++
      if (split) seen.split++
      if (measured.regions.some(region => region.skeleton === 'gpipe')) seen.gpipe++
      if (measured.regions.at(-1)!.stages.length > measured.ranks) seen.chunks++
      if (source.stages.some(stage => stage.length > 1)) seen.merged++
      if (!transposed && measured.regions.length > 1) seen.pipelined++
      if (transposed && problem.events.filter(e => e.key.kind === 'E').length < measured.microbatches) seen.noWork++
    }
    for (const [what, count] of Object.entries(seen))
      expect(count, what).toBeGreaterThanOrEqual(what === 'split' ? 30 : 40)
  })
})

/** Capacity = peak is legal, one byte less on any rank is MEMORY there; returns how many ranks were cut below. */
function checkPeaks({ measured, problem, schedule, document }: Timed, seed: number): number {
  const peaks = peakBytes(problem, schedule)
  expect(verify(withCapacity(measured, peaks), document), `seed ${seed}`).toMatchObject({ legal: true })
  expect(fitsMemory({ ...problem, capacity: peaks }, schedule)).toBe(true)
  let cut = 0
  for (const [rank, peak] of peaks.entries()) {
    if (peak === 0) continue
    const capacity = peaks.map((bytes, r) => (r === rank ? bytes - 1 : undefined))
    const verdict = verify(withCapacity(measured, capacity), document)
    expect(verdict.legal ? [] : verdict.violations.map(v => [v.code, v.rank]), `seed ${seed}`).toEqual([
      ['MEMORY', rank]
    ])
    expect(fitsMemory({ ...problem, capacity }, schedule)).toBe(false)
    cut++
  }
  return cut
}
