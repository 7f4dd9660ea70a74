import { describe, expect, it } from 'vitest'
import { type FamilyProofView, familyProofText } from '../../../src/report/text/family-proof.ts'
import { PLAIN } from '../../../src/report/text/style.ts'

const member = { family: 'transpose-full', variant: 'frozen', P: 2, legal: true, inFlight: [2, 1], solver: 'confirmed' }
const view: FamilyProofView = {
  schedule: '<transpose, 1f1b>',
  legal: true,
  members: [
    { ...member, M: 1 },
    { ...member, M: 2, solver: 'not asked' },
    { ...member, M: 1, variant: 'trained, first-rank' }
  ],
  violations: []
}

describe('a proof of a family', () => {
  it('has one line per family, variant and number of ranks', () => {
    expect(familyProofText(view, PLAIN)).toMatchInlineSnapshot(`
      "proved: all 3 orders of <transpose, 1f1b> are legal for every duration

        family          source               P     M  proved  also by Z3  in flight
        transpose-full  frozen               2  1..2  2 of 2      1 of 1          2
        transpose-full  trained, first-rank  2     1  1 of 1      1 of 1          2
      "
    `)
  })

  it('lists the first faults and fits the width', () => {
    const fault = { code: 'CYCLE', event: 'P=2, M=3', message: 'an event waits for itself, whatever the durations are' }
    const text = familyProofText(
      { ...view, legal: false, violations: Array(12).fill(fault) },
      { ...PLAIN, columns: 60 }
    )
    expect(text).toMatch(/^refuted: not all of 3 orders of <transpose, 1f1b> are legal/)
    expect(text).toContain('... and 2 more')
    expect(text.split('\n').filter(line => line.length > 60)).toEqual([])
  })
})
