import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { criticalPath, endTicks } from '../../src/schedule/critical-path.ts'
import { measuredOf, transposed } from '../support/staged.ts'

const tick = fc.integer({ min: 0, max: 9 })

describe('criticalPath', () => {
  it('is a chain without gaps but lags, from a free start to the makespan', () => {
    let applied = 0
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 6 }),
        fc.array(tick, { minLength: 6, maxLength: 6 }),
        fc.integer({ min: 0, max: 3 }),
        tick,
        (ranks, microbatches, encodes, lag, broadcast) => {
          const measured = measuredOf({
            ranks,
            microbatches,
            stages: range(ranks).map(r => ({ forward: 3 + r, backward: 5 })),
            encoder: { forward: encodes.slice(0, microbatches), backward: 2 },
            communication: { send: lag, gather: lag, scatter: lag, broadcast }
          })
          const { problem, schedule } = transposed(measured)
          const path = criticalPath(problem, schedule)
          const ends = endTicks(problem, schedule)
          expect(ends[path[path.length - 1]]).toBe(schedule.makespan)
          expect([0, broadcast]).toContain(schedule.start[path[0]])
          for (let i = 1; i < path.length; i++) {
            const wait = schedule.start[path[i]] - ends[path[i - 1]]
            expect(wait === 0 || wait === lag).toBe(true)
            applied++
          }
        }
      ),
      { numRuns: 60, seed: 11 }
    )
    expect(applied).toBeGreaterThan(300)
  })
})
