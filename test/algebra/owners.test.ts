import { describe, expect, it } from 'vitest'
import { greedyOwners, optimalOwners } from '../../src/algebra/owners.ts'
import { range } from '../../src/base/arrays.ts'
import { seededRandom } from '../support/generate.ts'

const spillOf = (work: readonly number[], slack: readonly number[], owners: readonly number[]) =>
  Math.max(0, ...slack.map((w, r) => work.reduce((sum, t, m) => sum + (owners[m] === r ? t : 0), 0) - w))

/** Every owner map in turn. */
function exhaustive(work: readonly number[], slack: readonly number[]): number {
  let best = Number.POSITIVE_INFINITY
  for (let code = 0; code < slack.length ** work.length; code++) {
    const owners = work.map((_, m) => Math.floor(code / slack.length ** m) % slack.length)
    best = Math.min(best, spillOf(work, slack, owners))
  }
  return best
}

describe('owner maps', () => {
  it('greedy gives the longest work to the longest slack', () => {
    expect(greedyOwners([5, 9, 1], [0, 4, 8])).toEqual([1, 2, 0])
    expect(greedyOwners([3, 3], [0, 0])).toEqual([0, 1])
  })

  it('optimal equals the exhaustive minimum, and is at most greedy', () => {
    let better = 0
    for (let seed = 0; seed < 500; seed++) {
      const random = seededRandom(seed)
      const work = range(random.int(1, 6)).map(() => random.int(0, 15))
      const slack = range(random.int(1, 3)).map(rank => rank * random.int(0, 9))
      const { owners, spill, atLeast } = optimalOwners(work, slack)
      expect(spillOf(work, slack, owners)).toBe(spill)
      expect(atLeast).toBe(spill)
      expect(spill).toBe(exhaustive(work, slack))
      const greedy = spillOf(work, slack, greedyOwners(work, slack))
      expect(spill).toBeLessThanOrEqual(greedy)
      better += Number(spill < greedy)
    }
    expect(better).toBeGreaterThan(10)
  })

  it('says what is proven when the search ends early', () => {
    const random = seededRandom(3)
    const work = range(40).map(() => random.int(50, 99))
    const slack = range(8).map(rank => 37 * rank)
    const { owners, spill, atLeast } = optimalOwners(work, slack, 50)
    expect(spillOf(work, slack, owners)).toBe(spill)
    expect(atLeast).toBeLessThanOrEqual(spill)
    expect(atLeast).toBeGreaterThan(0)
  })
})
