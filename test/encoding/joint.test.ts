import { describe, expect, it } from 'vitest'
import { encodeJointSmt } from '../../src/encoding/index.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import { fitsMemory } from '../../src/schedule/memory.ts'
import type { Problem } from '../../src/schedule/problem.ts'
import { backend as z3 } from '../../src/solvers/z3/backend.ts'
import { sketch } from '../support/measured.ts'

async function finds(problem: Problem, makespan: number): Promise<boolean> {
  const encoded = encodeJointSmt(problem, makespan)
  const outcome = await z3.solve({ model: encoded.model, timeLimitMs: 50_000 })
  expect(['sat', 'unsat']).toContain(outcome.status)
  if (!outcome.values) return false
  const again = evaluate(problem, encoded.decode(outcome.values))
  if (again.kind !== 'schedule') return false
  return again.schedule.makespan <= makespan && fitsMemory(problem, again.schedule)
}

function capped(caps: readonly number[], microbatches: number): Problem {
  const sizes = { ranks: caps.length, microbatches, forward: 1, backward: 2, slab: { activation: 1 } }
  return buildProblem(sketch({ ...sizes, change: { capacity: caps } }))
}

describe('joint as a decision', () => {
  it.each([
    { caps: [2, 1], microbatches: 4, optimum: 15 },
    { caps: [3, 3, 2], microbatches: 4, optimum: 18 },
    { caps: [1, 1, 1], microbatches: 3, optimum: 27 },
    { caps: [2, 2, 1], microbatches: 4, optimum: 21 }
  ])('caps $caps, $microbatches microbatches: $optimum', async ({ caps, microbatches, optimum }) => {
    const problem = capped(caps, microbatches)
    expect([await finds(problem, optimum), await finds(problem, optimum - 1)]).toEqual([true, false])
  })

  it('finds nothing where a rank holds nothing', async () => {
    expect(await finds(capped([1, 0], 1), 100)).toBe(false)
  })

  it('4 ranks, 4 microbatches, encoder 1 and 2: 24, more than the body alone', async () => {
    const problem = buildProblem(
      sketch({ ranks: 4, microbatches: 4, forward: 1, backward: 2, encoder: 1, encoderBackward: 2, trainable: true })
    )
    expect([await finds(problem, 24), await finds(problem, 23)]).toEqual([true, false])
  })
})
