import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { range, sum } from '../../src/base/arrays.ts'
import { placementBounds } from '../../src/bounds/index.ts'
import { FAMILIES } from '../../src/heuristics/index.ts'
import { sizesOf } from '../../src/prove/durations/counting.ts'
import { graphOfDocument } from '../../src/prove/durations/order-graph.ts'
import { proveOrder } from '../../src/prove/durations/prove-order.ts'
import { recheckBound } from '../../src/prove/optimal/bounds.ts'
import { frameOf } from '../../src/prove/optimal/frame.ts'
import { bodyOrder, bodySequences, indexEvents } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { encodeParts, shareOf } from '../../src/schedule/costs.ts'
import { fromDocument, toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { CommunicationModel, Measured } from '../../src/schedule/measured.ts'
import { peakBytes } from '../../src/schedule/memory.ts'
import { verify } from '../../src/verify/verify.ts'
import { generateMeasured, randomOrder } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const drawn = (seed: number, more: Partial<Measured> = {}): Measured => ({
  ...generateMeasured(seed, { source: seed % 5 === 0 ? 'only' : 'transposed', encoderParts: true, maxRanks: 3 }),
  ...more
})

function timed(measured: Measured, seed: number) {
  const problem = buildProblem(measured)
  const sequences = randomOrder(problem, seed)
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') throw new Error('a random order is acyclic')
  return { problem, schedule: evaluation.schedule, document: toDocument(problem, evaluation.schedule) }
}

describe('shares', () => {
  it('add up to the whole, differ by the weights, and are exact beyond 2^53', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 64 }),
        (whole, weights) => {
          const parts = weights.map((_, index) => shareOf(whole, weights, index))
          expect(sum(parts)).toBe(whole)
          const total = BigInt(sum(weights))
          for (const [index, part] of parts.entries()) {
            const exact = (BigInt(whole) * BigInt(weights[index])) / total
            expect(Number(BigInt(part) - exact)).toBeGreaterThanOrEqual(0)
            expect(Number(BigInt(part) - exact)).toBeLessThanOrEqual(1)
          }
        }
      )
    )
  })

  it('a microbatch of 10 ticks with images of 3 and 2 in two chunks: 3 + 3 and 2 + 2', () => {
    const measured = sketch({ ranks: 2, microbatches: 1, encoder: 10, change: { chunks: 2, items: [[3, 2]] } })
    const problem = buildProblem(measured)
    const encodes = indexEvents(problem).encodes('E', 0)
    expect(encodes.map(id => problem.events[id].modes[0].duration)).toEqual([3, 3, 2, 2])
    expect(encodes.map(id => [problem.events[id].key.item, problem.events[id].key.chunk])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1]
    ])
  })
})

describe('several encodes per microbatch', () => {
  const MODELS: readonly CommunicationModel[] = ['latency', 'link', 'blocking']

  it('the evaluator and the checker agree on random orders under every communication model', () => {
    const seen = { cases: 0, chunks: 0, items: 0, trained: 0, transfers: 0 }
    for (const seed of range(240)) {
      const plain = drawn(seed)
      const model = MODELS[seed % 3]
      const measured = { ...plain, communication: { ...plain.communication, model } }
      const { problem, schedule, document } = timed(measured, seed)
      expect(verify(measured, document), `seed ${seed}`).toMatchObject({ legal: true })
      expect(fromDocument(problem, document).start, `seed ${seed}`).toEqual(schedule.start)
      seen.cases++
      if (measured.chunks) seen.chunks++
      if (measured.items) seen.items++
      if (problem.events.some(event => event.key.kind === 'EB')) seen.trained++
      if (document.transfers?.some(transfer => (transfer.item ?? 0) > 0)) seen.transfers++
    }
    expect(seen.cases).toBe(240)
    for (const count of [seen.chunks, seen.items, seen.trained]) expect(count).toBeGreaterThan(80)
    expect(seen.transfers).toBeGreaterThan(20)
  })

  it('agree on the peak of every rank: that much fits, one byte less does not', () => {
    let tight = 0
    for (const seed of range(120)) {
      const measured = drawn(seed)
      const { problem, schedule, document } = timed(measured, seed)
      const peaks = peakBytes(problem, schedule)
      expect(verify({ ...measured, capacity: peaks }, document), `seed ${seed}`).toMatchObject({ legal: true })
      for (const rank of range(measured.ranks)) {
        if (peaks[rank] === 0) continue
        const capacity = peaks.map((peak, other) => (other === rank ? peak - 1 : peak))
        const verdict = verify({ ...measured, capacity }, document)
        expect(verdict.legal ? [] : verdict.violations.map(fault => [fault.code, fault.rank])).toEqual([
          ['MEMORY', rank]
        ])
        tight++
      }
    }
    expect(tight).toBeGreaterThan(150)
  })

  it('every family gives a legal schedule that holds for every duration, and no bound is above it', async () => {
    const applied = new Map<string, number>()
    for (const seed of range(40)) {
      const measured = generateMeasured(seed, {
        source: 'transposed',
        encoderParts: true,
        maxRanks: 3,
        maxMicrobatches: 4
      })
      for (const family of FAMILIES) {
        const order = family.apply(measured)
        if (order.kind !== 'order') continue
        const evaluation = evaluate(order.problem, order.sequences)
        if (evaluation.kind === 'cycle') throw new Error(`${family.id} has a cycle (seed ${seed})`)
        const document = toDocument(order.problem, evaluation.schedule)
        expect(verify(order.measured, document), `${family.id} ${seed}`).toMatchObject({ legal: true })
        if (order.measured !== measured) continue
        const proof = await proveOrder(graphOfDocument(measured, document), { sizes: sizesOf(measured) })
        expect(proof.faults, `${family.id} ${seed}`).toEqual([])
        applied.set(family.id, (applied.get(family.id) ?? 0) + 1)
      }
      const problem = buildProblem(measured)
      const frame = frameOf(measured, bodyOrder(measured))
      const full = FAMILIES.find(family => family.id === 'transpose-full')?.apply(measured)
      const known = full?.kind === 'order' ? evaluate(problem, full.sequences) : undefined
      for (const bound of placementBounds(problem, bodySequences(problem, bodyOrder(measured)))) {
        expect(recheckBound(frame, bound), `${bound.name} ${seed}`).toMatchObject({ confirmed: true })
        if (known?.kind === 'schedule') expect(bound.ticks).toBeLessThanOrEqual(known.schedule.makespan)
      }
    }
    for (const id of [
      'transpose-full',
      'transpose-min',
      'transpose-greedy',
      'optimus',
      'nested',
      'encoder-dp',
      'stock-full'
    ])
      expect(applied.get(id) ?? 0, id).toBe(40)
  })
})

describe('the checker on altered encodes', () => {
  const measured = sketch({
    ranks: 2,
    microbatches: 2,
    encoder: 8,
    encoderBackward: 6,
    trainable: true,
    lag: 1,
    change: { chunks: 2, items: [[1, 1], [1]] }
  })
  const { document } = timed(measured, 3)
  const alter = (change: (event: (typeof document.ranks)[number][number], rank: number) => object | undefined) => ({
    ...document,
    ranks: document.ranks.map((events, rank) =>
      events.flatMap(event => {
        const changed = change(event, rank)
        return changed ? [{ ...event, ...changed }] : []
      })
    )
  })
  const codes = (altered: typeof document) => {
    const verdict = verify(measured, altered)
    return verdict.legal ? [] : verdict.violations.map(fault => fault.code)
  }

  it('names every kind of fault', () => {
    expect(codes(document)).toEqual([])
    const is = (kind: string, m: number, item: number, chunk: number) => (event: { [key: string]: unknown }) =>
      event.kind === kind && event.microbatch === m && event.item === item && event.chunk === chunk
    const one = is('E', 0, 1, 1)
    expect(codes(alter(event => (one(event) ? undefined : {})))).toContain('MISSING_EVENT')
    expect(codes(alter(event => (one(event) ? { item: 2 } : {})))).toContain('UNKNOWN_EVENT')
    expect(codes(alter(event => (one(event) ? { chunk: 0 } : {})))).toContain('DUPLICATE_EVENT')
    expect(codes(alter(event => (event.kind === 'F' ? { item: 0 } : {})))).toContain('UNKNOWN_EVENT')
    expect(codes(alter(event => (one(event) ? { end: event.end + 1 } : {})))).toContain('DURATION')
    const moved = document.ranks.map(events => events.filter(event => !one(event)))
    const stray = document.ranks.flat().find(one)
    const home = document.ranks.findIndex(events => events.some(one))
    const other = {
      ...document,
      ranks: moved.map((events, rank) => (rank === home || !stray ? events : [stray, ...events]))
    }
    expect(codes(other)).toContain('WRONG_RANK')
  })

  it('keeps chunks in order: forwards up, backwards down', () => {
    const first = { E: 0, EB: 1 }
    for (const kind of ['E', 'EB'] as const) {
      const pair = document.ranks.flat().filter(event => event.kind === kind && event.microbatch === 1)
      const early = pair.find(event => event.chunk === first[kind])!
      const late = pair.find(event => event.chunk !== first[kind])!
      expect(early.end).toBeLessThanOrEqual(late.start)
      const swapped = {
        ...document,
        ranks: document.ranks.map(events =>
          events.map(event =>
            event === early
              ? { ...event, chunk: late.chunk! }
              : event === late
                ? { ...event, chunk: early.chunk! }
                : event
          )
        )
      }
      expect(codes(swapped)).toContain('PRECEDENCE')
    }
  })
})

describe('whole tasks', () => {
  it('one chunk and one item are the plain instance', () => {
    for (const seed of range(20)) {
      const measured = generateMeasured(seed)
      const items = range(measured.microbatches).map(() => [1])
      expect(encodeParts({ items }, 0)).toEqual([{ item: 0, chunk: 0 }])
      expect(buildProblem({ ...measured, chunks: 1, items })).toEqual(buildProblem(measured))
    }
  })
})
