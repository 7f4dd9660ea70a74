import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { FAMILIES, familyById } from '../../src/heuristics/index.ts'
import { roundObstacle } from '../../src/heuristics/interleaved.ts'
import { toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { peakBytes } from '../../src/schedule/memory.ts'
import { bubbleRatio, peakInFlight } from '../../src/schedule/metrics.ts'
import { verify } from '../../src/verify/verify.ts'
import { withSlabs } from '../support/exhaustive.ts'
import { generateMeasured } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'
import { type MeasuredInput, measuredOf } from '../support/staged.ts'

/** The ids that the contract names. */
const CONTRACT =
  'gpipe 1f1b interleaved interleaved-less-memory zb-h1 zb-h2 zb-1p zb-2p zbv v-half v-min wave dualpipe dualpipev inline dedicated inline-best dedicated-best transpose-full transpose-min transpose-greedy optimus dip encoder-dp nested stock-full stock-min'

/** The verified document of a family, or undefined where it does not apply. Only memory may be exceeded. */
function apply(id: string, measured: Measured) {
  const order = familyById(id)!.apply(measured)
  if (order.kind !== 'order') {
    expect(order.reason.length).toBeGreaterThan(10)
    return undefined
  }
  const evaluation = evaluate(order.problem, order.sequences)
  if (evaluation.kind === 'cycle') throw new Error(`${id} has a cycle`)
  const document = toDocument(order.problem, evaluation.schedule)
  const verdict = verify(order.measured, document)
  const faults = verdict.legal ? [] : verdict.violations.filter(violation => violation.code !== 'MEMORY')
  expect(faults, id).toEqual([])
  return { ...order, document, schedule: evaluation.schedule, makespan: document.makespan, legal: verdict.legal }
}

const uniform = (input: Omit<MeasuredInput, 'stages'> & { forward?: number; backward?: number; chunks?: number }) =>
  measuredOf({
    ...input,
    stages: range(input.ranks * (input.chunks ?? 1)).map(() => ({
      forward: input.forward ?? 1,
      backward: input.backward ?? 2
    }))
  })

const split = (ranks: number, microbatches: number, encoder?: MeasuredInput['encoder']) =>
  measuredOf({
    ranks,
    microbatches,
    stages: range(ranks).map(r => ({ forward: 10 + r, backward: { input: 9, weight: 6 }, activation: 10 })),
    communication: { send: 1, gather: 1, scatter: 1 },
    ...(encoder ? { encoder } : {})
  })

/** The instance with best cuts stated for its baselines: its own slabs, a little faster. */
function withCuts(measured: Measured): Measured {
  const slabs = measured.regions.at(-1)!.stages.flat()
  const cut = slabs.map(slab => ({ ...slab, forward: slab.forward.map(ticks => Math.max(0, ticks - 1)) }))
  return { ...measured, inlineBest: cut, dedicatedBest: cut.slice(1) }
}

describe('families', () => {
  it('are those of the contract, each with its source', () => {
    expect(FAMILIES.map(family => family.id).sort()).toEqual(CONTRACT.split(' ').sort())
    for (const { title, source } of FAMILIES) expect(Math.min(title.length, source.length)).toBeGreaterThan(15)
  })

  it('are all explained in docs/families.md', () => {
    const page = readFileSync(new URL('../../docs/families.md', import.meta.url), 'utf8')
    for (const { id } of FAMILIES) expect(page).toContain(`\`${id}\``)
  })

  it('give legal schedules on generated instances, or say why they do not apply', () => {
    const applied = new Map<string, number>()
    const instances = [
      ...range(24).map(seed => generateMeasured(seed)),
      ...range(4).map(i => split(2 + i, 4 + 3 * i)),
      ...range(4)
        .map(i => split(2 + i, 4 + 4 * i, { forward: 7, backward: { input: 3, weight: 4 }, trainable: i % 2 === 0 }))
        .flatMap(measured => [measured, withCuts(measured)])
    ]
    for (const measured of instances) {
      for (const { id } of FAMILIES) if (apply(id, measured)) applied.set(id, (applied.get(id) ?? 0) + 1)
    }
    for (const { id } of FAMILIES) expect(applied.get(id) ?? 0, id).toBeGreaterThanOrEqual(id === 'dualpipe' ? 2 : 4)
  })

  it.each(['link', 'blocking'] as const)('are legal where transfers queue or block: %s', model => {
    let applied = 0
    for (const seed of range(16)) {
      const plain = generateMeasured(seed, { source: seed % 4 === 0 ? 'alone' : 'transposed', maxRanks: 3 })
      const measured = { ...plain, communication: { ...plain.communication, model } }
      for (const { id } of FAMILIES) if (apply(id, measured)) applied++
    }
    expect(applied).toBeGreaterThanOrEqual(150)
  })

  it('differ: for each pair there is an instance that tells them apart', () => {
    const encodes = [9, 4, 7, 0, 8, 5, 9, 6, 4, 8]
    const instances = [
      withCuts(split(4, 10, { forward: encodes, backward: { input: 3, weight: 4 } })),
      split(4, 10, { forward: encodes.map(e => 3 * e), backward: 0, trainable: false }),
      {
        ...split(4, 10, { forward: 20, backward: 30 }),
        regions: split(4, 10, { forward: 20, backward: 30 }).regions.map((r, i) =>
          i === 1 ? { ...r, skeleton: 'gpipe' as const } : r
        )
      }
    ]
    const shown = instances.map(
      measured => new Map(FAMILIES.map(({ id }) => [id, JSON.stringify(apply(id, measured)?.document.ranks)]))
    )
    const same: string[] = []
    let pairs = 0
    for (const [i, a] of FAMILIES.entries()) {
      for (const b of FAMILIES.slice(0, i)) {
        pairs++
        const apart = shown.some(by => by.get(a.id) && by.get(b.id) && by.get(a.id) !== by.get(b.id))
        if (!apart) same.push(`${a.id} = ${b.id}`)
      }
    }
    expect(same).toEqual([])
    expect(pairs).toBe((27 * 26) / 2)
  })
})

describe('a source fused into stage 0', () => {
  it.each([true, false])('holds nothing for microbatches without encoder work, trainable %s', trainable => {
    const encoder = { forward: [5, 0, 0, 5], backward: [7, 7, 0, 7], activation: 100, trainable }
    const measured = measuredOf({
      ranks: 2,
      microbatches: 4,
      stages: range(2).map(() => ({ forward: 10, backward: 20, activation: 10 })),
      encoder
    })
    // Rank 0 has microbatches 0 and 1, then 1 and 2, then 2 and 3 in flight: one encoder activation at most.
    const { problem, schedule } = apply('inline', measured)!
    expect(peakBytes(problem, schedule)).toEqual([120, 10])
    const roomy = { ...measured, capacity: [120, undefined] }
    expect(apply('inline', roomy)!.legal).toBe(true)
    expect(apply('inline', { ...measured, capacity: [119, undefined] })!.legal).toBe(false)
  })
})

describe('zero bubble under memory', () => {
  it('leaves room for a fused encoder although the first microbatch has no encoder work', () => {
    const encoder = { forward: [0, 5, 5, 5, 5, 5], backward: { input: 3, weight: 4 }, activation: 100 }
    const stages = range(2).map(() => ({ forward: 10, backward: { input: 9, weight: 6 }, activation: 10 }))
    const measured = measuredOf({ ranks: 2, microbatches: 6, stages, encoder, capacity: [230, undefined] })
    expect(apply('zb-2p', measured)!.legal).toBe(true)
  })
})

describe('cases of the field', () => {
  it('finish where encodes and stages take no time', () => {
    // Half of the work of an item of length 1 has length 0, and so has the stage that waits for it.
    const instant = sketch({ ranks: 1, microbatches: 1, encoder: 1, forward: 0, change: { items: [[1, 1]] } })
    for (const id of ['optimus', 'nested']) expect(apply(id, instant)?.makespan).toBe(21)
    let applied = 0
    for (const seed of range(60)) {
      const drawn = generateMeasured(seed, { source: 'transposed', encoderParts: true, chunks: 1, split: false })
      const short = withSlabs(drawn, slab => ({ ...slab, forward: slab.forward.map(ticks => ticks % 2) }))
      for (const { id } of FAMILIES) applied += Number(apply(id, short) !== undefined)
    }
    expect(applied).toBeGreaterThan(500)
  })

  it('fewer microbatches than ranks', () => {
    expect(apply('1f1b', uniform({ ranks: 8, microbatches: 1 }))!.makespan).toBe(24)
    expect(apply('gpipe', uniform({ ranks: 4, microbatches: 1 }))!.makespan).toBe(12)
    const few = apply('1f1b', uniform({ ranks: 4, microbatches: 3 }))!
    expect(few.makespan).toBe(18)
    expect(few.document.ranks.map(peakInFlight)).toEqual([3, 3, 2, 1])
  })

  it('interleaving with two ranks', () => {
    expect(apply('interleaved', uniform({ ranks: 2, microbatches: 4, chunks: 2 }))!.makespan).toBe(27)
  })

  it('interleaving where P does not divide M takes rounds of 5 for 10 over 4 ranks', () => {
    const order = apply('interleaved', uniform({ ranks: 4, microbatches: 10, chunks: 2 }))!
    expect(order.makespan).toBe(69)
    expect(order.document.ranks.map(peakInFlight)[0]).toBe(12)
    expect([4, 5, 6, 8, 10].map(size => roundObstacle(size, 4, 10) === undefined)).toEqual([
      false,
      true,
      true,
      false,
      true
    ])
    const rounds = (roundSize: number) => ({
      ...uniform({ ranks: 4, microbatches: 10, chunks: 2 }),
      roundSize
    })
    const found = [5, 6, 10].map(size => apply('interleaved', rounds(size))!)
    expect(found.map(({ makespan }) => makespan)).toEqual([69, 69, 69])
    expect(found.map(({ document }) => document.ranks.map(peakInFlight)[0])).toEqual([12, 13, 17])
    expect(apply('interleaved', rounds(4))).toBeUndefined()
    expect(apply('interleaved-less-memory', rounds(8))).toBeUndefined()
    expect(roundObstacle(4, 4, 10)).toBe('rounds of 4 leave a last round of 2, fewer than P = 4')
  })

  it('memory per rank: 1F1B breaks the limit of one rank only', () => {
    const limited = (capacity: number[]) => {
      const stages = range(4).map(() => ({ forward: 1, backward: 2, activation: 1 }))
      return apply('1f1b', measuredOf({ ranks: 4, microbatches: 8, stages, capacity }))!
    }
    expect(limited([4, 3, 2, 1])).toMatchObject({ makespan: 33, legal: true })
    const tight = limited([3, 3, 2, 1])
    expect(tight.legal).toBe(false)
    expect(peakBytes(tight.problem, tight.schedule)).toEqual([4, 3, 2, 1])
  })

  it('the bubble falls while overhead per call keeps the step long', () => {
    const bubble = (ranks: number, microbatches: number) =>
      bubbleRatio(apply('gpipe', uniform({ ranks, microbatches }))!.document)
    expect([bubble(8, 8), bubble(8, 16), bubble(4, 8)].map(ratio => ratio.toFixed(3))).toEqual([
      '0.467',
      '0.304',
      '0.273'
    ])
    // Twice the microbatches of half the work each, 1 tick of overhead per call: the bubble falls, the step does not.
    const coarse = apply('gpipe', uniform({ ranks: 8, microbatches: 8, forward: 3, backward: 5 }))!
    const fine = apply('gpipe', uniform({ ranks: 8, microbatches: 16, forward: 2, backward: 3 }))!
    expect(bubbleRatio(fine.document)).toBeLessThan(bubbleRatio(coarse.document))
    expect([coarse.makespan, fine.makespan]).toEqual([120, 115])
  })

  it('encoder over all ranks in three phases', () => {
    const shared = (forward: number, backward: number, e: number, eb: number, microbatches = 8) =>
      uniform({ ranks: 4, microbatches, forward, backward, encoder: { forward: e, backward: eb } })
    const at = (id: string, measured: Measured) => apply(id, measured)!.makespan
    expect([at('inline', shared(1, 2, 1, 2)), at('encoder-dp', shared(1, 2, 1, 2))]).toEqual([51, 39])
    expect([at('inline', shared(2, 4, 1, 2)), at('encoder-dp', shared(2, 4, 1, 2))]).toEqual([81, 72])
    expect([at('inline', shared(1, 2, 2, 4)), at('encoder-dp', shared(1, 2, 2, 4))]).toEqual([72, 45])
    expect([at('inline', shared(2, 4, 3, 6)), at('encoder-dp', shared(2, 4, 3, 6))]).toEqual([123, 84])
    expect([at('inline', shared(1, 2, 1, 2, 4)), at('encoder-dp', shared(1, 2, 1, 2, 4))]).toEqual([27, 24])
  })

  it('in flight per rank falls from the first to the last', () => {
    const flight = (ranks: number, microbatches: number) =>
      apply('1f1b', uniform({ ranks, microbatches }))!.document.ranks.map(peakInFlight)
    expect(flight(8, 8)).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
    expect([1, 2, 8].map(m => flight(2, m))).toEqual([
      [1, 1],
      [2, 1],
      [2, 1]
    ])
  })

  it('DualPipe holds P + 1 activations of twice the parameters', () => {
    const stages = range(8).map(() => ({
      forward: 1,
      backward: { input: 1, weight: 1 },
      activation: 1,
      parameters: 1000
    }))
    const order = apply('dualpipe', measuredOf({ ranks: 8, microbatches: 20, stages }))!
    expect(peakBytes(order.problem, order.schedule)).toEqual(range(8).map(() => 2009))
  })

  it('order of microbatches with uneven images', () => {
    const images = (forward: number[], trained: boolean) =>
      uniform({
        ranks: 3,
        microbatches: 4,
        encoder: { forward, backward: trained ? forward.map(e => 2 * e) : 0, trainable: trained }
      })
    const at = (forward: number[], trained: boolean) => apply('inline', images(forward, trained))!.makespan
    expect([at([5, 1, 1, 1], true), at([1, 1, 5, 1], true)]).toEqual([38, 36])
    expect(at([5, 1, 1, 1], false)).toBe(24)
  })
})
