import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { greedyFamily } from '../../src/heuristics/zb-greedy.ts'
import { toDocument } from '../../src/schedule/document.ts'
import type { FamilyOrder } from '../../src/schedule/family.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { memoryProfiles } from '../../src/schedule/memory.ts'
import { idleTicks } from '../../src/schedule/metrics.ts'
import { verify } from '../../src/verify/verify.ts'
import { measuredOf, timed } from '../support/staged.ts'

/** Verified schedule of a family: makespan, span (longest time from a rank's first start to its last end), worst peak. */
function run(id: string, measured: Measured) {
  return runOrder(id, familyById(id)!.apply(measured))
}

function runOrder(id: string, order: FamilyOrder) {
  if (order.kind !== 'order') throw new Error(`${id}: ${order.reason}`)
  const schedule = timed(order.problem, order.sequences)
  const document = toDocument(order.problem, schedule)
  expect(verify(order.measured, document).legal, id).toBe(true)
  const spans = document.ranks.map(events => Math.max(...events.map(e => e.end)) - events[0].start)
  const peak = Math.max(...memoryProfiles(order.problem, schedule).map(profile => profile.peak))
  return { makespan: schedule.makespan, span: Math.max(...spans), peak }
}

/** Uniform stages, F = I = W = 10, a transfer of 1; an activation is 1000 bytes. */
const uniform = (ranks: number, microbatches: number) =>
  measuredOf({
    ranks,
    microbatches,
    stages: range(ranks).map(() => ({ forward: 10, backward: { input: 10, weight: 10 }, activation: 1000 })),
    communication: { send: 1 },
    capacity: range(ranks).map(() => 1e9)
  })

/** A measured profile of 8 stages with an embedding and a head, 473 between ranks, room for 16 activations of 1240 MB. */
const uneven = (microbatches: number) => {
  const forward = [30715, 29233, 29106, 29078, 28850, 28919, 28924, 41678]
  const input = [31308, 29344, 29357, 29455, 29217, 29384, 29354, 38731]
  const weight = [18746, 18789, 19062, 19367, 19455, 19967, 20096, 32833]
  const stages = range(8).map(s => {
    const [activation, late] = s === 0 ? [943, 410] : s === 7 ? [1071, 483] : [1240, 552]
    return {
      forward: forward[s],
      backward: { input: input[s], weight: weight[s], weightShare: late / activation },
      activation
    }
  })
  const capacity = range(8).map(() => 16 * 1240)
  return measuredOf({ ranks: 8, microbatches, stages, communication: { send: 473 }, capacity })
}

const SIZES = [
  [4, 8],
  [8, 16],
  [8, 32]
] as const

describe('published makespans at 4x8, 8x16, 8x32', () => {
  const published: readonly (readonly [id: string, makespans: readonly number[]])[] = [
    ['1f1b', [346, 730, 1238]],
    ['interleaved', [299, 615, 1095]],
    ['zb-h1', [282, 578, 1058]],
    ['zb-1p', [282, 578, 1058]],
    ['zb-2p', [273, 557, 1037]],
    ['v-min', [335, 721, 1283]],
    ['dualpipev', [287, 599, 1107]]
  ]
  it.each(published)('%s to the tick', (id, makespans) => {
    expect(SIZES.map(([ranks, microbatches]) => run(id, uniform(ranks, microbatches)).makespan)).toEqual(makespans)
  })

  it('zb-1p and zb-2p to the tick in the span as well', () => {
    const spans = (id: string) => SIZES.map(([ranks, microbatches]) => run(id, uniform(ranks, microbatches)).span)
    expect(spans('zb-1p')).toEqual([282, 578, 1058])
    expect(spans('zb-2p')).toEqual([246, 488, 968])
  })

  it('the greedy rule at 1.5P activations, makespan and span', () => {
    const found = SIZES.map(([p, m]) => runOrder('zb-1.5p', greedyFamily(uniform(p, m), 1.5)))
    expect(found.map(({ makespan }) => makespan)).toEqual([273, 557, 1037])
    expect(found.map(({ span }) => span)).toEqual([256, 524, 1004])
  })

  it('zbv and v-half, whose published numbers come from searches that are not stated', () => {
    // Published 270, 550, 1030 by a search over fill choices; the handcrafted order of the paper is two ticks shorter.
    expect(SIZES.map(([p, m]) => run('zbv', uniform(p, m)).makespan)).toEqual([268, 548, 1028])
    // Published 287, 613, 1093 after steps that move parts about once the block is repeated; here the block as it repeats.
    expect(SIZES.map(([p, m]) => run('v-half', uniform(p, m)).makespan)).toEqual([298, 622, 1102])
  })

  it('zb-2p under a limit of 4, 5, 6 and 8 activations at 4x8', () => {
    const under = (parts: readonly [number, number, number], send: number, limit: number) => {
      const [forward, input, weight] = parts
      const stages = range(4).map(() => ({ forward, backward: { input, weight }, activation: 1000 }))
      const capacity = range(4).map(() => 1000 * limit)
      return run('zb-2p', measuredOf({ ranks: 4, microbatches: 8, stages, communication: { send }, capacity })).makespan
    }
    const each = (parts: readonly [number, number, number], send: number) =>
      [4, 5, 6, 8].map(limit => under(parts, send, limit))
    // Published: 280 and 428687 at 5, from a choice that the rule leaves open; all others to the tick.
    expect(each([10, 10, 10], 1)).toEqual([282, 279, 273, 273])
    expect(each([6, 4, 4], 1)).toEqual([142, 137, 133, 133])
    expect(each([18522, 18086, 9337], 601)).toEqual([456585, 428535, 424942, 424955])
  })

  it('1f1b and the greedy rule on a profile with stages of different length', () => {
    expect([8, 32].map(m => run('1f1b', uneven(m)).makespan)).toEqual([1460284, 4178092])
    const greedy = [8, 32].map(m => run('zb-2p', uneven(m)))
    expect(greedy.map(({ makespan }) => makespan)).toEqual([1114072, 3831880])
    expect(greedy[1].span).toBe(3623744)
  })

  it('dualpipev where an overlapped pair takes 0.8 of F + B', () => {
    const overlap = { kind: 'factor', perMillion: 800_000 } as const
    const makespans = SIZES.map(([p, m]) => run('dualpipev', { ...uniform(p, m), overlap }).makespan)
    expect(makespans).toEqual([257, 533, 945])
  })

  it.each([
    [3, 6],
    [2, 3]
  ])('dualpipe at 8x20 with a pair of %i ticks: the worst bubble is (P/2 - 1)(F&B + B - 3W) = %i', (pair, bubble) => {
    const stages = range(8).map(() => ({ forward: 1, backward: { input: 1, weight: 1 } }))
    const measured = measuredOf({ ranks: 8, microbatches: 20, stages })
    const order = familyById('dualpipe')!.apply({ ...measured, overlap: { kind: 'fixed', ticks: pair } })
    if (order.kind !== 'order') throw new Error(order.reason)
    const document = toDocument(order.problem, timed(order.problem, order.sequences))
    expect(verify(order.measured, document).legal).toBe(true)
    expect(Math.max(...idleTicks(document))).toBe(bubble)
    expect(bubble).toBe((8 / 2 - 1) * (pair + 2 - 3))
  })

  it('peaks in activations of a stage', () => {
    const peaks = (id: string) => SIZES.slice(0, 2).map(([p, m]) => run(id, uniform(p, m)).peak / 1000)
    expect(peaks('1f1b')).toEqual([4, 8])
    expect(peaks('interleaved')).toEqual([5.5, 11.5])
    expect(peaks('zb-1p')).toEqual([4, 8])
    expect(peaks('zbv')).toEqual([4, 8])
    expect(peaks('v-half')).toEqual([3, 5])
    expect(peaks('v-min')).toEqual([2, 3.5])
    expect(peaks('dualpipe')).toEqual([5, 9])
  })
})

/**
 * Rows of Qi et al. (ICLR 2024): P, M, F, I, W, send, hidden size, heads; then 1 - work / span of 1F1B, ZB-H1, ZB-H2, ZB-1p
 * and ZB-2p, and that of ZB-2p over its makespan.
 */
const ICLR: readonly { readonly size: readonly number[]; readonly rates: string }[] = [
  { size: [8, 24, 18522, 18086, 9337, 601, 2304, 24], rates: '.2431 .1585 .1083 .1585 .0433 .1083' },
  { size: [8, 32, 18513, 18086, 9331, 626, 2304, 24], rates: '.1985 .1242 .0837 .1242 .0039 .0835' },
  { size: [8, 24, 29718, 29444, 19927, 527, 4096, 32], rates: '.2347 .1323 .0698 .1323 .0029 .1003' },
  { size: [8, 32, 29802, 29428, 19530, 577, 4096, 32], rates: '.1898 .1045 .0559 .1045 .0022 .0778' },
  { size: [8, 64, 29935, 29621, 19388, 535, 4096, 32], rates: '.1091 .0554 .0294 .0554 .0010 .0405' },
  { size: [16, 48, 11347, 11248, 8132, 377, 5120, 40], rates: '.2552 .1397 .0672 .1397 .0066 .1065' },
  { size: [16, 128, 11325, 11308, 8109, 378, 5120, 40], rates: '.1251 .0576 .0266 .0576 .0028 .0427' },
  { size: [32, 96, 10419, 10207, 7715, 408, 6144, 48], rates: '.2646 .1421 .0641 .1421 .0038 .1098' },
  // Published for zb-2p: .0018 and .0443. The published greedy leaves a choice unstated; ours differs in this row alone.
  { size: [32, 256, 10402, 10248, 7698, 460, 6144, 48], rates: '.1352 .0594 .0257 .0594 .0023 .0452' }
]

describe('published zero-bubble rows, four decimals', () => {
  it.each(ICLR)('P, M, F, I, W, send, hidden, heads = $size', ({ size, rates }) => {
    const [ranks, microbatches, forward, input, weight, send, hidden, heads] = size
    const sequence = 1024
    const activation = 34 * hidden + 5 * heads * sequence
    const weightShare = (32 * hidden) / activation
    const measured = measuredOf({
      ranks,
      microbatches,
      stages: range(ranks).map(() => ({ forward, backward: { input, weight, weightShare }, activation })),
      communication: { send }
    })
    const work = microbatches * (forward + input + weight)
    const rate = (ticks: number) => (1 - work / ticks).toFixed(4).slice(1)
    const spans = ['1f1b', 'zb-h1', 'zb-h2', 'zb-1p', 'zb-2p'].map(id => run(id, measured).span)
    expect([...spans, run('zb-2p', measured).makespan].map(rate).join(' ')).toBe(rates)
  })
})

/** Rows of arXiv 2405.15362: P, M, F, I, W of one of two slabs per rank, send; 1 - work / span of 1F1B. */
const V_ROWS = [
  [16, 48, 14407, 14380, 9676, 1610, '.2668'],
  [16, 64, 14412, 14393, 9688, 1621, '.2206'],
  [16, 128, 14316, 14306, 9639, 1619, '.1390'],
  [32, 96, 9458, 9748, 7288, 879, '.2676'],
  [32, 128, 9469, 9744, 7306, 892, '.2204'],
  [32, 256, 9447, 9644, 7193, 887, '.1362']
] as const

describe('1f1b on the profiles of the V schedules, four decimals', () => {
  it.each(V_ROWS)('P = %i, M = %i', (ranks, microbatches, forward, input, weight, send, published) => {
    const stages = range(2 * ranks).map(() => ({ forward, backward: { input, weight } }))
    const { span } = run('1f1b', measuredOf({ ranks, microbatches, stages, communication: { send } }))
    expect((1 - (2 * microbatches * (forward + input + weight)) / span).toFixed(4).slice(1)).toBe(published)
  })
})
