import { describe, expect, it } from 'vitest'
import { familyById } from '../../src/heuristics/index.ts'
import { bodyFamily } from '../../src/heuristics/inline.ts'
import { closedForm } from '../../src/schedule/closed-form.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { FamilyOrder } from '../../src/schedule/family.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { sketch } from '../support/measured.ts'

function makespan(result: FamilyOrder | undefined): number | string {
  if (result?.kind !== 'order') return result?.reason ?? 'no such family'
  const evaluation = evaluate(result.problem, result.sequences)
  return evaluation.kind === 'schedule' ? evaluation.schedule.makespan : 'cycle'
}

const family = (id: string, measured: Measured) => makespan(familyById(id)?.apply(measured))

describe('1F1B', () => {
  it.each([
    [4, 8, 346],
    [8, 16, 730]
  ])('P=%i M=%i f=10 b=20 transfer 1 takes %i', (ranks, microbatches, expected) => {
    expect(makespan(bodyFamily(sketch({ ranks, microbatches, lag: 1 })))).toBe(expected)
  })

  it('works with fewer microbatches than ranks', () => {
    expect(makespan(bodyFamily(sketch({ ranks: 8, microbatches: 1, forward: 1, backward: 2 })))).toBe(24)
    expect(makespan(bodyFamily(sketch({ ranks: 4, microbatches: 3, forward: 1, backward: 2 })))).toBe(18)
  })
})

/** Experiment B of the paper as reconstructed, in tenths of a millisecond. */
const experimentB = sketch({ ranks: 8, microbatches: 8, encoder: 11220, forward: 655, backward: 1310 })

/** Experiment A, variant alpha, in units of 25 microseconds (all durations are multiples). */
const experimentA: Measured = (() => {
  const base = sketch({ ranks: 8, microbatches: 64, encoder: 234_000, forward: 54_200, backward: 108_400 })
  const slab = base.regions[1].stages[0][0]
  const list = (ticks: number) => Array.from({ length: 64 }, () => ticks)
  const share = { ...slab, forward: list(60_975), backward: { kind: 'full' as const, full: list(121_950) } }
  return { ...base, dedicated: Array.from({ length: 7 }, () => share) }
})()

describe('families on the reconstructed experiments', () => {
  it.each([
    ['inline', 110065],
    ['transpose-full', 40695],
    ['transpose-min', 40695],
    ['dedicated', 105480]
  ])('B: %s', (id, expected) => {
    expect(Math.abs((family(id, experimentB) as number) - expected)).toBeLessThanOrEqual(id === 'dedicated' ? 10 : 0)
  })

  it.each([
    ['inline', 25_762_000],
    ['dedicated', 16_256_500],
    ['transpose-full', 13_416_600],
    ['transpose-min', 24_883_000]
  ])('A: %s', (id, expected) => {
    expect(Math.abs((family(id, experimentA) as number) - expected)).toBeLessThan(1000)
  })
})

describe('closed form', () => {
  it('is exact where nothing spills, waits or drains late', () => {
    const result = familyById('transpose-full')?.apply(experimentB)
    if (result?.kind !== 'order') throw new Error('not applicable')
    const form = closedForm(result.problem, result.sequences)
    expect(form).toMatchObject({
      exact: 40695,
      paper: 40695,
      absorbed: 0,
      arrival: 0,
      drain: 0,
      binding: { kind: 'spill', rank: 0 }
    })
  })
})
