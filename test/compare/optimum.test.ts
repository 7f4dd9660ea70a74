import { describe, expect, it } from 'vitest'
import { compareFamilies } from '../../src/compare/compare.ts'
import { optimumOfResult } from '../../src/compare/optimum.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import { sketch } from '../support/measured.ts'

describe('optimumOfResult', () => {
  it('carries the certificate of the search into the comparison', async () => {
    const measured = sketch({ ranks: 2, microbatches: 2, encoder: 3 })
    const result = await optimize(measured, { deterministic: true }, nodeHost())
    const optimum = optimumOfResult(result)
    expect(optimum.status).toBe('optimal')
    expect(optimum.certificate?.lowerBound).toBe(optimum.makespan)
    expect(optimum.certificate?.kind).not.toBe('none')
    const comparison = compareFamilies(measured, { families: [familyById('inline')!], optimum })
    expect(comparison.optimum?.certificate).toEqual(optimum.certificate)
    expect(JSON.stringify(comparison)).not.toContain('"schedule"')
  })
})
