import { describe, expect, it } from 'vitest'
import { compareFamilies } from '../../src/compare/compare.ts'
import { familyById } from '../../src/heuristics/index.ts'
import type { Family } from '../../src/schedule/family.ts'
import { sketch } from '../support/measured.ts'

const family = (id: string) => familyById(id) as Family
const instance = sketch({ ranks: 4, microbatches: 8, encoder: 15, lag: 1 })

describe('compareFamilies', () => {
  it('measures every family against the baseline and the optimum', () => {
    const { rows, baseline } = compareFamilies(instance, {
      families: [family('inline'), family('transpose-full')],
      baseline: 'transpose-full',
      optimum: { status: 'optimal', makespan: 361, lowerBound: 361, problem: 'placement' }
    })
    const [inline, full] = rows
    expect(baseline).toBe('transpose-full')
    expect(full.speedup).toBe(1)
    expect(inline.speedup).toBe(full.makespan / inline.makespan)
    expect(full.gapToOptimum).toBe((full.makespan - 361) / full.makespan)
    expect(full.closedForm?.exact).toBe(full.makespan)
    expect(full.inFlight).toEqual([4, 3, 2, 1])
    expect(inline.closedForm).toBeUndefined()
  })

  it('says why a family does not apply', () => {
    const backbone = compareFamilies(sketch({ ranks: 2, microbatches: 2 }), { families: [family('inline')] })
    expect(backbone.rows).toEqual([])
    expect(backbone.notApplicable).toEqual([{ family: 'inline', reason: expect.stringContaining('source') }])
    expect(backbone.baseline).toBe('none')
  })

  it('keeps illegal schedules in the table, with the rule that they break and no gap', () => {
    const tight = sketch({
      ...{ ranks: 2, microbatches: 4, encoder: 3 },
      slab: { activation: 10 },
      change: { capacity: [10, 10] }
    })
    const { rows } = compareFamilies(tight, {
      families: [family('transpose-full')],
      optimum: { status: 'optimal', makespan: 1, lowerBound: 1, problem: 'placement' }
    })
    expect(rows[0]).toMatchObject({ legal: false, violations: ['MEMORY'] })
    expect(rows[0].gapToOptimum).toBeUndefined()
  })

  it('notices a bound or an optimum that a legal family contradicts', () => {
    const wrong = { status: 'optimal', makespan: 400, lowerBound: 400, problem: 'placement' } as const
    const { contradictions } = compareFamilies(instance, { families: [family('transpose-full')], optimum: wrong })
    expect(contradictions).toHaveLength(2)
    expect(compareFamilies(instance).contradictions).toEqual([])
  })
})
