import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { encodeMemoryNeeds } from '../../src/bounds/memory.ts'
import { encodeMemoryReason } from '../../src/optimize/infeasible.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { bruteForcePlacement } from '../support/brute-force.ts'
import { sketch } from '../support/measured.ts'
import { smallPlacement } from '../support/small-placements.ts'

describe('what an encode needs beside the body', () => {
  it('two ranks, two microbatches: the gaps before its own forward', () => {
    const measured = sketch({
      ranks: 2,
      microbatches: 2,
      encoder: 3,
      source: { activation: 5 },
      slab: { activation: 4 }
    })
    const problem = buildProblem(measured)
    const needs = encodeMemoryNeeds(problem, bodySequences(problem, bodyOrder(measured)))
    // Before everything nothing is live: 5 on either rank, for both.
    expect(needs.map(list => list.map(({ rank, needed }) => [rank, needed]))).toEqual([
      [
        [0, 5],
        [1, 5]
      ],
      [
        [0, 5],
        [1, 5]
      ]
    ])
    const tight = { ...problem, capacity: [4, 4] }
    expect(encodeMemoryReason(tight, [[], []])).toMatchObject({ code: 'ENCODE_BYTES', needed: 5, capacity: 4 })
  })

  it('never refuses what enumeration can do, and tells a good share of what it cannot', () => {
    const seen = { told: 0, none: 0, all: 0 }
    for (const seed of range(40)) {
      const { problem: given, body, longest, name } = smallPlacement('memory', seed)
      for (const less of [0, 2, 5]) {
        const capacity = given.capacity.map(bytes => (bytes === undefined ? undefined : bytes - less))
        const problem = { ...given, capacity }
        const truth = bruteForcePlacement(problem, body, longest)
        seen.all++
        if (truth === undefined) seen.none++
        if (!encodeMemoryReason(problem, body)) continue
        seen.told++
        expect(truth, `${name}, ${less} bytes less`).toBeUndefined()
      }
    }
    expect(seen.all).toBe(120)
    expect(seen.told).toBeGreaterThanOrEqual(20)
    expect(seen.none).toBeGreaterThanOrEqual(50)
  })
})
