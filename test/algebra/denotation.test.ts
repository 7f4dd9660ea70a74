import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { weightedBy } from '../../src/algebra/maxplus/closed-form.ts'
import { type Denotation, denote, partMaps, portName } from '../../src/algebra/maxplus/denotation.ts'
import { longestPaths, type WeightedGraph } from '../../src/algebra/maxplus/graph.ts'
import {
  apply,
  compose,
  feedback,
  identity,
  join,
  type Matrix,
  nothing,
  sameMatrix
} from '../../src/algebra/maxplus/matrix.ts'
import { TICKS } from '../../src/algebra/maxplus/semiring.ts'
import { ownerOf } from '../../src/algebra/placement.ts'
import type { Shape } from '../../src/algebra/types.ts'
import { maximum, range } from '../../src/base/arrays.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { shapeOf } from '../../src/schedule/costs.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { tickWeights } from '../../src/schedule/named.ts'
import type { Problem, Sequences } from '../../src/schedule/problem.ts'
import { generateMeasured, seededRandom } from '../support/generate.ts'
import { arbitraryShape, CASES } from './shapes.ts'

const owners = ({ ranks, microbatches }: Shape) => range(microbatches).map(m => ownerOf(m, ranks, microbatches, 'full'))

/** The order that derive fixes, as the families build it. */
function derivedOrder(measured: Measured): { problem: Problem; sequences: Sequences } {
  const transposed = familyById('transpose-full')?.apply(measured)
  if (transposed?.kind === 'order') return transposed
  const problem = buildProblem(measured)
  return { problem, sequences: bodySequences(problem, bodyOrder(measured)) }
}

function makespan(problem: Problem, sequences: Sequences): number {
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind !== 'schedule') throw new Error('cycle')
  return evaluation.schedule.makespan
}

const graphOf = (measured: Measured) => {
  const shape = shapeOf(measured)
  return weightedBy(shape, owners(shape), {}, tickWeights(measured))
}

const latest = (denotation: Denotation, times: (port: string) => number) =>
  maximum(
    apply(
      denotation.matrix,
      denotation.inputs.map(port => times(portName(port)))
    )
  )

/** Random durations on the derived graph of any valid mix. */
function weighted(shape: Shape, seed: number): WeightedGraph<number> {
  const random = seededRandom(seed)
  const tick = () => random.int(0, 9)
  return weightedBy(
    shape,
    owners(shape),
    {},
    {
      compute: tick,
      lag: { send: tick(), gather: tick(), scatter: tick() },
      broadcast: tick(),
      reduce: tick,
      unit: 0
    }
  )
}

describe('matrices', () => {
  const square = (entries: number[]): Matrix => ({ rows: 2, columns: 2, entries: Float64Array.from(entries) })
  const none = Number.NEGATIVE_INFINITY

  it('compose, join and apply', () => {
    const a = square([1, none, 2, 0])
    expect(compose(identity(2), a)).toEqual(a)
    expect([...compose(a, a).entries]).toEqual([2, none, 3, 0])
    expect(apply(a, [5, 9])).toEqual([6, 9])
    expect([...join(a, identity(2)).entries]).toEqual([1, none, 2, 0])
    expect(sameMatrix(a, square([1, none, 2, 0]))).toBe(true)
    expect(sameMatrix(a, nothing(2, 2))).toBe(false)
  })

  it('feed back loops without circuits, and refuse those with', () => {
    const start = { rows: 2, columns: 1, entries: Float64Array.from([3, none]) }
    expect([...feedback(square([none, none, 4, none]), start).entries]).toEqual([3, 7])
    expect(() => feedback(square([1, none, none, none]), start)).toThrow(/circuit/)
  })
})

describe('denotation', () => {
  it('applied to the injection times is the exact makespan (evaluated apart), on generated instances', () => {
    let transposed = 0
    for (let seed = 0; seed < CASES; seed++) {
      const measured = generateMeasured(seed, {
        maxRanks: 3,
        maxMicrobatches: 3,
        ...(seed % 5 === 0 ? {} : { chunks: 1 })
      })
      const { problem, sequences } = derivedOrder(measured)
      expect(latest(denote(graphOf(measured)), () => 0)).toBe(makespan(problem, sequences))
      transposed += Number(measured.regions[0].skeleton === 'transpose')
    }
    expect(transposed).toBeGreaterThan(CASES / 3)
  })

  it('maps any arrival and free times as the evaluator does', () => {
    for (let seed = 0; seed < CASES; seed++) {
      const measured = generateMeasured(seed, {
        maxRanks: 3,
        maxMicrobatches: 3,
        source: seed % 2 ? 'transposed' : 'alone'
      })
      const random = seededRandom(seed + 7)
      const times = new Map<string, number>()
      const time = (port: string) => {
        const known = times.get(port) ?? (port === 'start' ? 0 : random.int(0, 25))
        times.set(port, known)
        return known
      }
      const whole = latest(denote(graphOf(measured)), time)
      const { problem, sequences } = derivedOrder(measured)
      expect(whole).toBe(makespan(delayed(problem, sequences, time), sequences))
    }
  })

  /** The same problem with arrival and free times as releases of the events that they hold back. */
  function delayed(problem: Problem, sequences: Sequences, time: (port: string) => number): Problem {
    const fed = new Set(problem.edges.map(edge => edge.to))
    const first = new Map(sequences.flatMap((ids, rank) => (ids.length > 0 ? [[ids[0], rank] as const] : [])))
    const rankOf = new Map(sequences.flatMap((ids, rank) => ids.map(id => [id, rank] as const)))
    const events = problem.events.map(event => {
      const rank = rankOf.get(event.id)
      if (rank === undefined) return event
      const arrival = fed.has(event.id) ? 0 : time(`arrival ${rank} ${event.key.microbatch}`)
      const free = first.has(event.id) ? time(`free ${rank}`) : 0
      return { ...event, modes: event.modes.map(mode => ({ ...mode, release: Math.max(mode.release, arrival, free) })) }
    })
    return { ...problem, events }
  }

  it('of a concatenation is the composition of denotations with the seams between, ranks threaded through', () => {
    let several = 0
    let turns = 0
    fc.assert(
      fc.property(arbitraryShape({ small: true }), fc.nat({ max: 1e6 }), (shape, seed) => {
        const graph = weighted(shape, seed)
        const whole = denote(
          graph,
          graph.nodes.map(() => 0)
        )
        const composed = denote(graph)
        expect(composed.inputs).toEqual(whole.inputs)
        expect(composed.outputs).toEqual(whole.outputs)
        expect(sameMatrix(composed.matrix, whole.matrix)).toBe(true)
        several += Number(shape.regions.length > 1)
        turns += Number(
          partMaps(
            graph,
            graph.nodes.map(n => n.region)
          ).some(p => p.inputs.some(i => i.kind === 'turn'))
        )
      }),
      { numRuns: CASES, seed: 21 }
    )
    expect(several).toBeGreaterThan(CASES / 3)
    expect(turns).toBeGreaterThan(CASES / 4)
  })

  it('without shared ranks needs no turns: the paper law is the special case', () => {
    // Two ranks, one region each, by cutting a 1F1B of two regions over two ranks.
    const region = (name: string) => ({ name, skeleton: '1f1b' as const, stages: [[{ trainable: true }]] })
    const shape: Shape = {
      ranks: 2,
      microbatches: 3,
      regions: [region('a'), region('b')],
      sourceWork: [true, true, true],
      encoderBackward: 'owner'
    }
    const parts = partMaps(
      weighted(shape, 5),
      weighted(shape, 5).nodes.map(node => node.region)
    )
    expect(parts.flatMap(part => part.inputs).some(port => port.kind === 'turn')).toBe(false)
    expect(parts.length).toBe(3)
  })

  it('does not depend on how the order is cut into parts', () => {
    fc.assert(
      fc.property(arbitraryShape({ small: true }), fc.nat({ max: 1e6 }), (shape, seed) => {
        const graph = weighted(shape, seed)
        const random = seededRandom(seed)
        const cut = graph.nodes.map(() => random.int(0, 2))
        const whole = denote(
          graph,
          graph.nodes.map(() => 0)
        )
        expect(sameMatrix(denote(graph, cut).matrix, whole.matrix)).toBe(true)
      }),
      { numRuns: CASES, seed: 22 }
    )
  })

  it('is (max,+)-linear, and monotone', () => {
    fc.assert(
      fc.property(
        arbitraryShape({ small: true }),
        fc.nat({ max: 1e6 }),
        fc.integer({ min: 0, max: 50 }),
        (shape, seed, shift) => {
          const { inputs, matrix } = denote(weighted(shape, seed))
          const random = seededRandom(seed)
          const [u, v] = [inputs.map(() => random.int(0, 30)), inputs.map(() => random.int(0, 30))]
          const later = u.map((time, i) => Math.max(time, v[i]))
          const joined = apply(matrix, u).map((time, i) => Math.max(time, apply(matrix, v)[i]))
          expect(apply(matrix, later)).toEqual(joined)
          expect(
            apply(
              matrix,
              u.map(time => time + shift)
            )
          ).toEqual(apply(matrix, u).map(time => time + shift))
        }
      ),
      { numRuns: CASES, seed: 23 }
    )
  })

  it('is preserved by normalisation: a merged Replicated region is its two parts in a row', () => {
    let split = 0
    fc.assert(
      fc.property(arbitraryShape({ small: true }), fc.nat({ max: 1e6 }), (shape, seed) => {
        const graph = weighted(shape, seed)
        const merged = denote(
          graph,
          graph.nodes.map(() => 0)
        )
        const apart = splitFirstRegion(graph, seed)
        const two = denote(
          apart,
          apart.nodes.map(() => 0)
        )
        expect(sameMatrix(two.matrix, merged.matrix)).toBe(true)
        split += apart.nodes.length - graph.nodes.length
      }),
      { numRuns: CASES, seed: 24 }
    )
    expect(split).toBeGreaterThan(CASES)
  })

  /** Every compute event of region 0 as two events in a row on its rank, sharing its duration. */
  function splitFirstRegion(graph: WeightedGraph<number>, seed: number): WeightedGraph<number> {
    const random = seededRandom(seed)
    const nodes = [...graph.nodes]
    const edges = [...graph.edges]
    const second = new Map<number, number>()
    for (const [id, node] of graph.nodes.entries()) {
      if (node.region !== 0 || node.rank < 0) continue
      const share = random.int(0, node.weight)
      nodes[id] = { ...node, weight: share }
      second.set(id, nodes.push({ ...node, weight: node.weight - share }) - 1)
      edges.push({ from: id, to: nodes.length - 1, weight: 0 })
    }
    return {
      ...graph,
      nodes,
      edges: edges.map(edge =>
        second.get(edge.from) === edge.to ? edge : { ...edge, from: second.get(edge.from) ?? edge.from }
      ),
      sequences: graph.sequences.map(ids => ids.flatMap(id => [id, ...(second.has(id) ? [second.get(id) ?? -1] : [])]))
    }
  }

  it('exact == longest path', () => {
    for (let seed = 0; seed < CASES; seed++) {
      const measured = generateMeasured(seed + 10_000, { maxRanks: 4, maxMicrobatches: 4 })
      const { problem, sequences } = derivedOrder(measured)
      expect(maximum(longestPaths(graphOf(measured), TICKS))).toBe(makespan(problem, sequences))
    }
  })
})
