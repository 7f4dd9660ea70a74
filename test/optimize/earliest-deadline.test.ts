import { describe, expect, it } from 'vitest'
import { randomFrom } from '../../src/base/random.ts'
import { frameOf } from '../../src/bounds/frame.ts'
import { placementBounds } from '../../src/bounds/index.ts'
import { earliestDeadline } from '../../src/optimize/search/earliest-deadline.ts'
import { RankRoom } from '../../src/optimize/search/rank-room.ts'
import { placementTask } from '../../src/optimize/tasks.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { sketch } from '../support/measured.ts'

/** A trained encoder of 25 to 80 % of a stage in front of a uniform backbone. */
function trained(ranks: number, microbatches: number, seed: number): Measured {
  const random = randomFrom(seed)
  const encoder = Array.from({ length: microbatches }, () => 25 + Math.floor(random() * 56))
  const backward = encoder.map(ticks => 2 * ticks)
  const body = { forward: 100, backward: 200, lag: 1 }
  return sketch({ ranks, microbatches, encoder, encoderBackward: backward, trainable: true, ...body })
}

function built(measured: Measured, owners: 'any' | 'with-backward') {
  const { problem, body } = placementTask(measured)
  const [bound] = placementBounds(problem, body)
  const evaluation = evaluate(problem, earliestDeadline(problem, body, frameOf(problem, body), bound.ticks, owners))
  if (evaluation.kind !== 'schedule') throw new Error('the order waits for itself')
  return { bound: bound.ticks, makespan: evaluation.schedule.makespan }
}

describe('earliest deadline', () => {
  it('reaches the bound of trained encoders where owners are chosen by both halves', () => {
    const cases = Array.from({ length: 12 }, (_, seed) => trained(8 + (seed % 3) * 4, 32 + (seed % 4) * 16, seed + 1))
    const both = cases.map(measured => built(measured, 'with-backward'))
    const forward = cases.map(measured => built(measured, 'any'))
    expect(both.filter(({ makespan, bound }) => makespan < bound)).toEqual([])
    const reached = (rows: typeof both) => rows.filter(({ makespan, bound }) => makespan === bound).length
    expect(reached(both)).toBeGreaterThanOrEqual(11)
    expect(reached(both)).toBeGreaterThan(reached(forward))
  })

  it('is one rule where nothing is trained', () => {
    const measured = sketch({ ranks: 4, microbatches: 8, encoder: [9, 30, 0, 12, 25, 7, 18, 22], lag: 1 })
    expect(built(measured, 'with-backward')).toEqual(built(measured, 'any'))
  })
})

describe('room on a rank', () => {
  // Two events [0, 10) and [20, 30); the second may start as late as 24.
  const room = () =>
    new RankRoom([0, 1], {
      start: Float64Array.of(0, 20, 0),
      duration: Float64Array.of(10, 10, 0),
      latest: Float64Array.of(0, 24, 0)
    })

  it('finds the first gap, with the slack of what follows', () => {
    expect(room().find({ release: 0, duration: 14, latest: 100 })).toBe(1)
    expect(room().find({ release: 0, duration: 15, latest: 100 })).toBe(2)
    expect(room().find({ release: 11, duration: 14, latest: 100 })).toBe(2)
    expect(room().find({ release: 11, duration: 14, latest: 29 })).toBeUndefined()
  })

  it('moves back what has to make room, once', () => {
    const one = room()
    expect(one.take(1, 2, { release: 0, duration: 13, latest: 100 })).toBe(23)
    expect(one.sequence()).toEqual([0, 2, 1])
    expect(one.find({ release: 0, duration: 2, latest: 100 })).toBe(3)
    expect(one.find({ release: 0, duration: 1, latest: 100 })).toBe(1)
  })
})
