import { describe, expect, it } from 'vitest'
import { fromDocument } from '../../src/schedule/document.ts'
import { memoryProfiles } from '../../src/schedule/memory.ts'
import { bubbleRatio, idleTicks, peakInFlight } from '../../src/schedule/metrics.ts'
import { SMALL, scheduled } from '../report/text/fixture.ts'

describe('metrics', () => {
  it('bubble ratio of 1F1B is (P - 1) / (M + P - 1) without transfers', () => {
    const { document } = scheduled('transpose-full', { ranks: 4, microbatches: 8, encoder: [0, 0, 0, 0, 0, 0, 0, 0] })
    expect(bubbleRatio(document)).toBeCloseTo(3 / 11, 12)
    expect(idleTicks(document)).toEqual([90, 90, 90, 90])
    expect(document.ranks.map(peakInFlight)).toEqual([4, 3, 2, 1])
  })

  it('is 0 for an empty schedule', () => {
    expect(bubbleRatio({ ...scheduled('transpose-full', SMALL).document, makespan: 0 })).toBe(0)
  })

  it('forwards without a backward are never in flight, and I ends a flight', () => {
    const at = (kind: 'F' | 'B' | 'I' | 'W', microbatch: number) => ({ kind, stage: 0, microbatch })
    expect(peakInFlight([at('F', 0), at('F', 1), at('F', 2)])).toBe(0)
    expect(peakInFlight([at('F', 0), at('I', 0), at('F', 1), at('I', 1), at('W', 0), at('W', 1)])).toBe(1)
  })
})

describe('fromDocument', () => {
  it('is the schedule that the document was made from', () => {
    const { problem, schedule, document } = scheduled('transpose-full', {
      ...SMALL,
      change: {
        communication: { model: 'latency', send: 1, gather: 2, scatter: 3, broadcast: 4, reduce: new Map([['llm', 5]]) }
      }
    })
    const back = fromDocument(problem, document)
    expect(back).toEqual(schedule)
    expect(memoryProfiles(problem, back)).toEqual(memoryProfiles(problem, schedule))
  })

  it('refuses events that the instance does not have', () => {
    const { problem, document } = scheduled('transpose-full', SMALL)
    const [first, ...others] = document.ranks
    const strange = { ...document, ranks: [[{ ...first[0], microbatch: 9 }, ...first.slice(1)], ...others] }
    expect(() => fromDocument(problem, strange)).toThrow(/ranks\[0\]\[0\].*UNKNOWN_EVENT/)
  })
})
