import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { longestPaths, makespanOf } from '../../src/algebra/maxplus/graph.ts'
import { type OrderWeights, orderGraph } from '../../src/algebra/maxplus/order-graph.ts'
import { TICKS } from '../../src/algebra/maxplus/semiring.ts'
import {
  type BodyOrder,
  gpipeOrder,
  interleavedOrder,
  oneForwardOneBackwardOrder,
  roundSizes
} from '../../src/algebra/orders/body.ts'
import { dualPipeOrder, dualPipeVOrder } from '../../src/algebra/orders/dualpipe.ts'
import {
  countSteps,
  foldMap,
  loopMap,
  type OrderItem,
  type PipelineOrder,
  peakHeld,
  peakInFlightSteps,
  type StageStep,
  stepsOf
} from '../../src/algebra/orders/order.ts'
import { zbH1Order } from '../../src/algebra/orders/split.ts'
import { waveOrder } from '../../src/algebra/orders/wave.ts'
import { zbvOrder } from '../../src/algebra/orders/zbv.ts'

const csvs = resolve(import.meta.dirname, '../../../shared/data/torch-csv')

type Durations = { F: number; I: number; W: number; send?: number; overlapped?: number }

function weights({ F, I, W, send = 0, overlapped }: Durations): OrderWeights<number> {
  const of = { F, I, W, B: I + W }
  return { step: step => of[step.kind], fused: () => overlapped ?? F + I + W, send, unit: 0 }
}

const makespan = (order: PipelineOrder, durations: Durations) =>
  makespanOf(orderGraph(order, weights(durations)), TICKS)

/** Idle ticks of a rank, and its time between its own first start and last end that it does not work. */
function idle(order: PipelineOrder, durations: Durations, rank = 0): { bubble: number; inner: number } {
  const graph = orderGraph(order, weights(durations))
  const end = longestPaths(graph, TICKS)
  const sequence = graph.sequences[rank]
  const work = sequence.reduce((total, node) => total + graph.nodes[node].weight, 0)
  const first = end[sequence[0]] - graph.nodes[sequence[0]].weight
  return { bubble: makespanOf(graph, TICKS) - work, inner: end[sequence[sequence.length - 1]] - first - work }
}

/** Every step of every microbatch exactly once, on the rank that its stage is mapped to. */
function expectComplete(order: PipelineOrder, stages: number): void {
  const seen = new Set<string>()
  for (const [rank, items] of order.items.entries()) {
    for (const step of items.flatMap(stepsOf)) {
      expect(order.rankOf[step.replica][step.stage]).toBe(rank)
      seen.add(`${step.kind}${step.stage}/${step.microbatch}`)
    }
  }
  expect(seen.size).toBe(countSteps(order))
  for (let s = 0; s < stages; s++) {
    for (let m = 0; m < order.microbatches; m++) {
      const [full, input, weight] = ['B', 'I', 'W'].map(kind => Number(seen.has(`${kind}${s}/${m}`)))
      expect([Number(seen.has(`F${s}/${m}`)), full + input, full + weight]).toEqual([1, 1, 1])
    }
  }
}

const plain = (order: BodyOrder, chunks: number): PipelineOrder => ({
  name: 'body',
  ranks: order.length,
  microbatches: Math.max(...order.flat().map(step => step.microbatch)) + 1,
  rankOf: [loopMap(order.length * chunks, order.length)],
  items: order.map(steps => steps.map(step => ({ kind: 'run', step: { ...step, replica: 0 } }) as OrderItem))
})

describe('body orders', () => {
  it('1F1B and GPipe at 4x8 meet the makespans of the contract', () => {
    const size = { ranks: 4, microbatches: 8, chunks: 1 }
    const contract = { F: 10, I: 20, W: 0, send: 1 }
    expect(makespan(plain(oneForwardOneBackwardOrder(size), 1), contract)).toBe(346)
    expect(makespan(plain(oneForwardOneBackwardOrder({ ...size, ranks: 8, microbatches: 16 }), 1), contract)).toBe(730)
    expect(makespan(plain(gpipeOrder(size), 1), { F: 10, I: 20, W: 0 })).toBe((8 + 3) * 30)
  })

  it('interleaving with two chunks meets the field', () => {
    for (const [ranks, microbatches, ticks] of [
      [4, 8, 299],
      [8, 16, 615],
      [8, 32, 1095]
    ]) {
      const order = plain(interleavedOrder({ ranks, microbatches, chunks: 2 }, 'classic'), 2)
      expect(makespan(order, { F: 5, I: 5, W: 5, send: 1 })).toBe(ticks)
    }
  })

  it('spreads what P does not divide over the first rounds', () => {
    expect(roundSizes({ ranks: 4, microbatches: 8 })).toEqual([4, 4])
    expect(roundSizes({ ranks: 4, microbatches: 11 })).toEqual([6, 5])
    expect(roundSizes({ ranks: 4, microbatches: 3 })).toEqual([3])
  })

  it('is complete and finishes for every small size, M below P and no multiple of it included', () => {
    let orders = 0
    for (let ranks = 1; ranks <= 5; ranks++) {
      for (let microbatches = 1; microbatches <= 11; microbatches++) {
        for (const chunks of [1, 2, 3]) {
          const size = { ranks, microbatches, chunks }
          for (const body of [
            gpipeOrder(size),
            interleavedOrder(size, 'classic'),
            interleavedOrder(size, 'less-memory')
          ]) {
            const order = plain(body, chunks)
            expect(countSteps(order)).toBe(2 * ranks * chunks * microbatches)
            makespan(order, { F: 1, I: 2, W: 0 })
            orders++
          }
        }
      }
    }
    expect(orders).toBe(495)
  })
})

describe('stage maps', () => {
  it('the fold of one chunk is the plain map; of two, a V', () => {
    expect(foldMap(4, 4)).toEqual(loopMap(4, 4))
    expect(foldMap(8, 4)).toEqual([0, 1, 2, 3, 3, 2, 1, 0])
    expect(foldMap(6, 2)).toEqual([0, 1, 1, 0, 0, 1])
  })
})

/** Reads a torch compute-only row into steps; cells of an overlapped pair become one item. */
function readRow(row: string): OrderItem[] {
  return row
    .split(',')
    .filter(cell => cell.trim() !== '')
    .map((cell): OrderItem => {
      const steps = [...cell.matchAll(/(\d+)([FIBW])(\d+)/g)].map(
        ([, stage, kind, m]) => ({ kind, stage: Number(stage), microbatch: Number(m), replica: 0 }) as StageStep
      )
      return steps.length === 2
        ? { kind: 'fused', forward: steps[0], backward: steps[1] }
        : { kind: 'run', step: steps[0] }
    })
}

describe('orders against torch golden files', () => {
  const golden = (name: string) => readFileSync(join(csvs, name), 'utf8').trim().split('\n').map(readRow)

  it.skipIf(!existsSync(csvs))('DualPipeV on 4 ranks, 10 microbatches', () => {
    expect(dualPipeVOrder(4, 10).items).toEqual(golden('dualpipev_4rank_10mb.csv'))
  })

  it.skipIf(!existsSync(csvs))('ZB-H1 with two chunks on 2 ranks, 8 microbatches', () => {
    expect(zbH1Order({ ranks: 2, microbatches: 8, chunks: 2 }).items).toEqual(golden('zb1p_2rank_2stagep_compute.csv'))
  })
})

const SIZES = [
  [2, 4],
  [3, 6],
  [4, 8],
  [4, 13],
  [6, 12],
  [8, 32]
] as const

describe('ZB-H1', () => {
  it.each(SIZES)('P=%i M=%i: bubble (P-1)(F+I-W), at most P activations', (ranks, microbatches) => {
    const order = zbH1Order({ ranks, microbatches, chunks: 1 })
    expectComplete(order, ranks)
    for (const [F, I, W] of [
      [10, 10, 10],
      [12, 10, 6],
      [7, 9, 3]
    ]) {
      expect(idle(order, { F, I, W }).bubble).toBe((ranks - 1) * (F + I - W))
    }
    expect(Math.max(...peakHeld(order))).toBeLessThanOrEqual(ranks)
  })

  it('meets the published makespans with transfers', () => {
    const at = (ranks: number, microbatches: number) =>
      makespan(zbH1Order({ ranks, microbatches, chunks: 1 }), { F: 10, I: 10, W: 10, send: 1 })
    expect([at(4, 8), at(8, 16), at(8, 32)]).toEqual([282, 578, 1058])
  })

  it('with I and W joined again is 1F1B', () => {
    for (const [ranks, microbatches] of SIZES) {
      const size = { ranks, microbatches, chunks: 1 }
      const joined = zbH1Order(size).items.map(items =>
        items
          .flatMap(stepsOf)
          .filter(step => step.kind !== 'W')
          .map(step => `${step.kind === 'I' ? 'B' : 'F'}${step.microbatch}`)
      )
      expect(joined).toEqual(oneForwardOneBackwardOrder(size).map(steps => steps.map(s => `${s.kind}${s.microbatch}`)))
    }
  })
})

describe('ZB-V', () => {
  it.each(SIZES)(
    'P=%i M=%i: no idle time between a rank first and last step, at most P activations of two chunks',
    (ranks, microbatches) => {
      const order = zbvOrder(ranks, microbatches)
      expectComplete(order, 2 * ranks)
      expect(Math.max(...peakHeld(order))).toBeLessThanOrEqual(2 * ranks)
      if (microbatches < 2 * ranks - 1) return
      expect(idle(order, { F: 5, I: 5, W: 5 })).toEqual({ bubble: (ranks - 1) * 5, inner: 0 })
    }
  )

  it('drops what few microbatches lack', () => {
    for (const microbatches of [1, 2, 3]) expectComplete(zbvOrder(4, microbatches), 8)
  })
})

describe('DualPipe and DualPipeV', () => {
  it.each([
    [2, 4],
    [4, 8],
    [4, 12],
    [8, 16],
    [8, 20]
  ])('P=%i M=%i: published bubble and activations', (ranks, microbatches) => {
    // The published bubble is the idle time of the ranks where both flows meet, for equal F, I and W.
    const [F, I, W] = [10, 10, 10]
    const both = dualPipeOrder(ranks, microbatches)
    const cut = dualPipeVOrder(ranks, microbatches)
    expectComplete(cut, 2 * ranks)
    for (const overlapped of [20, 24, 30]) {
      const perStep = overlapped + I + W - 3 * W
      expect(idle(both, { F, I, W, overlapped }, ranks / 2).bubble).toBe((ranks / 2 - 1) * perStep)
      // The V has 2P stages: the published formula counts those.
      expect(idle(cut, { F, I, W, overlapped }, ranks - 1).bubble).toBe((ranks - 1) * perStep)
    }
    expect(peakHeld(both)).toEqual(peakHeld(both).map(() => ranks + 1))
    expect(peakHeld(cut)).toEqual(peakHeld(cut).map(() => 2 * ranks + 1))
  })

  it('runs each half of the microbatches through one copy', () => {
    const order = dualPipeOrder(4, 8)
    const steps = order.items.flatMap(items => items.flatMap(stepsOf))
    expect(order.rankOf).toEqual([
      [0, 1, 2, 3],
      [3, 2, 1, 0]
    ])
    for (const step of steps) expect(step.replica).toBe(step.microbatch < 4 ? 0 : 1)
    expect(steps.filter(step => step.kind === 'F').length).toBe(32)
  })

  it('meets the replay of the published order', () => {
    const at = (overlapped: number) =>
      [
        [4, 8],
        [8, 16],
        [8, 32]
      ].map(([ranks, m]) => makespan(dualPipeVOrder(ranks, m), { F: 5, I: 5, W: 5, send: 1, overlapped }))
    expect(at(15)).toEqual([287, 599, 1107])
    expect(at(12)).toEqual([257, 533, 945])
  })

  it('a fused node is at worst its two steps in a row', () => {
    const fused = dualPipeVOrder(3, 8)
    const apart: PipelineOrder = {
      ...fused,
      items: fused.items.map(items => items.flatMap(stepsOf).map((step): OrderItem => ({ kind: 'run', step })))
    }
    const durations = { F: 5, I: 4, W: 3 }
    expect(countSteps(apart)).toBe(countSteps(fused))
    expect(makespan(apart, durations)).toBeLessThanOrEqual(makespan(fused, durations))
    expect(makespan(fused, { ...durations, overlapped: 9 })).toBeLessThan(makespan(apart, durations))
  })

  it('refuses too few microbatches and odd sizes', () => {
    expect(() => dualPipeOrder(3, 8)).toThrow(/DUALPIPE_SIZE/)
    expect(() => dualPipeOrder(4, 7)).toThrow(/DUALPIPE_SIZE/)
    expect(() => dualPipeVOrder(4, 7)).toThrow(/DUALPIPE_SIZE/)
  })
})

describe('wave', () => {
  it('with one chunk is 1F1B', () => {
    for (const [ranks, microbatches] of SIZES) {
      const order = waveOrder(ranks, microbatches, 1)
      const body = plain(oneForwardOneBackwardOrder({ ranks, microbatches, chunks: 1 }), 1)
      expect(order.items).toEqual(body.items)
    }
  })

  it.each(SIZES)(
    'P=%i M=%i: complete, and a V holds half an activation more than 1F1B at most',
    (ranks, microbatches) => {
      for (const chunks of [2, 3, 4]) {
        const order = waveOrder(ranks, microbatches, chunks)
        expectComplete(order, ranks * chunks)
        makespan(order, { F: 1, I: 1, W: 1 })
      }
      expect(Math.max(...peakInFlightSteps(waveOrder(ranks, microbatches, 2)))).toBeLessThanOrEqual(2 * ranks + 1)
    }
  )

  it('shortens a step of P microbatches against 1F1B, more with more waves', () => {
    for (const ranks of [2, 3, 4, 5, 8]) {
      const at = (chunks: number) =>
        makespan(waveOrder(ranks, ranks, chunks), { F: 12 / chunks, I: 12 / chunks, W: 12 / chunks })
      expect(at(2)).toBeLessThan(at(1))
    }
  })
})
