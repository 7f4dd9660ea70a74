import { describe, expect, it } from 'vitest'
import { range, sum } from '../../src/base/arrays.ts'
import { FAMILIES } from '../../src/heuristics/index.ts'
import { toDocument } from '../../src/schedule/document.ts'
import { encoderOrigins, exposedEncoder } from '../../src/schedule/encoder-share.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import { CAUSES, type Cause, idleByCause, idleIntervals } from '../../src/schedule/idle.ts'
import { delayEncodes } from '../../src/schedule/just-in-time.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import {
  bubbleOverWork,
  bubbleRatio,
  busyTicks,
  idleTicks,
  spanTicks,
  utilisation
} from '../../src/schedule/metrics.ts'
import { bytesMoved } from '../../src/schedule/traffic.ts'
import { generateMeasured } from '../support/generate.ts'
import { measuredOf, transposed } from '../support/staged.ts'

/** Schedules of all families on generated instances. */
function* samples() {
  for (const seed of range(20)) {
    const measured = generateMeasured(seed)
    for (const family of FAMILIES) {
      const order = family.apply(measured)
      if (order.kind !== 'order') continue
      const result = evaluate(order.problem, order.sequences)
      if (result.kind === 'schedule')
        yield { seed, ...order, instance: measured, schedule: result.schedule, id: family.id }
    }
  }
}

const small = (change: Partial<Parameters<typeof measuredOf>[0]> = {}) =>
  measuredOf({
    ranks: 2,
    microbatches: 2,
    stages: [0, 1].map(() => ({ forward: 10, backward: 20, output: 100 })),
    encoder: { forward: 6, backward: 4, output: 30 },
    communication: { send: 1, gather: 1, scatter: 1 },
    ...change
  })

const causes = (measured: Measured) => {
  const { problem, schedule } = transposed(measured)
  return idleIntervals(problem, schedule).map(({ rank, start, end, cause }) => `${rank} ${start}-${end} ${cause}`)
}

describe('idleIntervals', () => {
  it('sums to the idle time of every rank, whatever the family', () => {
    const seen = new Set<Cause>()
    let applied = 0
    for (const { problem, schedule, id, seed } of samples()) {
      for (const timed of [schedule, delayEncodes(problem, schedule)]) {
        const intervals = idleIntervals(problem, timed)
        const document = toDocument(problem, timed)
        const perRank = range(problem.ranks).map(rank =>
          sum(intervals.filter(one => one.rank === rank).map(one => one.end - one.start))
        )
        expect(perRank, `${id} of seed ${seed}`).toEqual(idleTicks(document))
        expect(sum(Object.values(idleByCause(intervals)))).toBe(sum(idleTicks(document)))
        for (const { cause } of intervals) seen.add(cause)
        applied++
      }
    }
    expect(applied).toBeGreaterThan(200)
    expect([...seen].sort()).toEqual([...CAUSES].sort())
  })

  it('names the input that a rank waits for, then its transfer', () => {
    expect(causes(small())).toEqual([
      '0 26-47 backward',
      '0 47-48 transfer',
      '0 68-77 backward',
      '0 77-78 transfer',
      '0 102-103 drain',
      '1 6-16 forward',
      '1 16-17 transfer',
      '1 77-98 backward',
      '1 98-99 transfer'
    ])
  })

  it('names the broadcast that holds encodes back', () => {
    expect(causes(small({ communication: { broadcast: 9 } }))).toContain('1 0-9 transfer')
  })
})

describe('metrics of a schedule', () => {
  it('agree with each other on every family', () => {
    let applied = 0
    for (const { problem, schedule } of samples()) {
      const document = toDocument(problem, schedule)
      const [work, idle] = [sum(busyTicks(document)), sum(idleTicks(document))]
      expect(work + idle).toBe(problem.ranks * schedule.makespan)
      if (work > 0) expect(bubbleOverWork(document)).toBeCloseTo(idle / work, 12)
      if (schedule.makespan > 0) expect(utilisation(document, 0)).toBeCloseTo(1 - bubbleRatio(document), 12)
      expect(spanTicks(document)).toBeLessThanOrEqual(schedule.makespan)
      applied++
    }
    expect(applied).toBeGreaterThan(100)
  })

  it('exposed encoder time is not negative, at most the makespan, and 0 without an encoder', () => {
    let [applied, exposed] = [0, 0]
    for (const { instance, measured, problem, schedule } of samples()) {
      const ticks = exposedEncoder(measured, problem, schedule, encoderOrigins(instance))
      expect(ticks).toBeGreaterThanOrEqual(0)
      expect(ticks).toBeLessThanOrEqual(schedule.makespan)
      if (ticks > 0) exposed++
      applied++
    }
    expect(applied).toBeGreaterThan(100)
    expect(exposed).toBeGreaterThan(40)
    const alone = measuredOf({ ranks: 1, microbatches: 1, stages: [{ forward: 1, backward: 1 }] })
    const { problem, schedule } = transposed(alone)
    expect(exposedEncoder(alone, problem, schedule, encoderOrigins(alone))).toBe(0)
  })

  it('exposes the whole encoder where nothing hides it', () => {
    const one = measuredOf({
      ranks: 1,
      microbatches: 3,
      stages: [{ forward: 5, backward: 7 }],
      encoder: { forward: 2, backward: 3 }
    })
    const { problem, schedule } = transposed(one)
    expect(exposedEncoder(one, problem, schedule, encoderOrigins(one))).toBe(15)
  })

  it('counts what crosses ranks, forward and back', () => {
    const measured = small()
    const { problem, schedule } = transposed(measured)
    // Two microbatches between the stages there and back; the feature of microbatch 1 and its gradient.
    expect(bytesMoved(measured, problem, schedule)).toBe(2 * 2 * 100 + 2 * 30)
  })
})
