import { describe, expect, it } from 'vitest'
import { makespanOf } from '../../src/algebra/maxplus/graph.ts'
import type { Matrix } from '../../src/algebra/maxplus/matrix.ts'
import { orderGraph } from '../../src/algebra/maxplus/order-graph.ts'
import { eigenvalue, type SteadyWeights, steadyPeriod } from '../../src/algebra/maxplus/period.ts'
import { TICKS } from '../../src/algebra/maxplus/semiring.ts'
import {
  type BodyOrder,
  gpipeOrder,
  interleavedOrder,
  oneForwardOneBackwardOrder
} from '../../src/algebra/orders/body.ts'
import { loopMap, type PipelineOrder } from '../../src/algebra/orders/order.ts'
import { zbH1Order } from '../../src/algebra/orders/split.ts'
import { seededRandom } from '../support/generate.ts'
import { CASES } from './shapes.ts'

const square = (size: number, entries: number[]): Matrix => ({
  rows: size,
  columns: size,
  entries: Float64Array.from(entries)
})
const none = Number.NEGATIVE_INFINITY

describe('eigenvalue', () => {
  it('is the largest mean circuit, as an exact fraction', () => {
    expect(eigenvalue(square(1, [7]))).toEqual({ over: 7, under: 1 })
    // Circuit 0 -> 1 -> 0 of weight 5 in two steps, loop of 2.
    expect(eigenvalue(square(2, [2, 4, 1, none]))).toEqual({ over: 5, under: 2 })
    expect(eigenvalue(square(2, [none, 4, none, none]))).toBeUndefined()
  })
})

const asOrder = (body: BodyOrder, chunks: number, microbatches: number): PipelineOrder => ({
  name: 'body',
  ranks: body.length,
  microbatches,
  rankOf: [loopMap(body.length * chunks, body.length)],
  items: body.map(steps => steps.map(step => ({ kind: 'run', step: { ...step, replica: 0 } })))
})

function makespan(order: PipelineOrder, weights: SteadyWeights): number {
  const graph = orderGraph(order, {
    step: step => weights.step(step.kind, step.stage),
    fused: () => 0,
    send: weights.send,
    unit: 0
  })
  return makespanOf(graph, TICKS)
}

/** Random durations of every kind and stage. */
function draw(seed: number, high: number): SteadyWeights {
  const random = seededRandom(seed)
  const table = new Map<string, number>()
  const of = (key: string) => {
    const known = table.get(key) ?? random.int(1, high)
    table.set(key, known)
    return known
  }
  return { step: (kind, stage) => of(`${kind}${stage}`), send: random.int(0, 3) }
}

describe('steady period', () => {
  it('of 1F1B equals the slope of the makespan in M', () => {
    let fractional = 0
    for (let seed = 0; seed < CASES; seed++) {
      const ranks = 1 + (seed % 3)
      const weights = draw(seed, 5)
      const at = (m: number) => asOrder(oneForwardOneBackwardOrder({ ranks, microbatches: m, chunks: 1 }), 1, m)
      const period = steadyPeriod(at, 1, weights)
      // Six rounds: every circuit's length up to P = 3 divides it.
      const slope = makespan(at(54), weights) - makespan(at(48), weights)
      expect(slope * (period?.under ?? 0)).toBe(6 * (period?.over ?? 0))
      fractional += Number((period?.under ?? 1) > 1)
    }
    expect(fractional).toBeGreaterThan(5)
  })

  it('of interleaved and ZB-H1 orders too', () => {
    for (let seed = 0; seed < 60; seed++) {
      const ranks = 2 + (seed % 2)
      const weights = draw(seed + 900, 6)
      const interleaved = (m: number) =>
        asOrder(interleavedOrder({ ranks, microbatches: m, chunks: 2 }, 'classic'), 2, m)
      const split = (m: number) => zbH1Order({ ranks, microbatches: m, chunks: 1 })
      for (const [at, round] of [
        [interleaved, ranks],
        [split, 1]
      ] as const) {
        const period = steadyPeriod(at, round, weights)
        const slope = makespan(at(round * 36), weights) - makespan(at(round * 30), weights)
        expect(slope * (period?.under ?? 0)).toBe(6 * (period?.over ?? 0))
      }
    }
  })

  it('of GPipe is that of its forwards plus that of its backwards', () => {
    for (let seed = 0; seed < 60; seed++) {
      const ranks = 1 + (seed % 3)
      const weights = draw(seed + 5000, 9)
      const at = (m: number) => asOrder(gpipeOrder({ ranks, microbatches: m, chunks: 1 }), 1, m)
      const slow = (kind: 'F' | 'B') => Math.max(...Array.from({ length: ranks }, (_, s) => weights.step(kind, s)))
      expect(makespan(at(61), weights) - makespan(at(60), weights)).toBe(slow('F') + slow('B'))
    }
  })
})
