import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { derive, type GraphEvent } from '../../src/algebra/derive.ts'
import { deriveOrder } from '../../src/algebra/derive-order.ts'
import { gatesOf, partBackwards, trainableSource } from '../../src/algebra/gates.ts'
import { topological } from '../../src/algebra/maxplus/graph.ts'
import { isNormal, normalise } from '../../src/algebra/normal-form.ts'
import { parseSchedule, printSchedule } from '../../src/algebra/notation.ts'
import { parallelSources } from '../../src/algebra/parallel.ts'
import { bidirectionalFeed, ownerOf } from '../../src/algebra/placement.ts'
import { seamsOf } from '../../src/algebra/seams.ts'
import { layoutOf, type RegionShape, type Shape, SKELETONS, type Skeleton } from '../../src/algebra/types.ts'
import { range } from '../../src/base/arrays.ts'
import { arbitraryShape, CASES, withRegions } from './shapes.ts'

const ownersOf = ({ ranks, microbatches }: Shape) =>
  range(microbatches).map(m => ownerOf(m, ranks, microbatches, 'full'))

/** `<...>` on P ranks with P slabs per Sharded region; `trained[i]` per region. */
function shapeOf(spec: string, ranks: number, microbatches: number, trained: readonly boolean[]): Shape {
  const regions = parseSchedule(spec).map((skeleton, index): RegionShape => {
    const stages = layoutOf(skeleton) === 'Replicated' ? 1 : ranks
    return {
      name: `region${index}`,
      skeleton,
      stages: range(stages).map(() => [{ trainable: trained[index] ?? true }])
    }
  })
  return { ranks, microbatches, regions, sourceWork: range(microbatches).map(() => true), encoderBackward: 'owner' }
}

/** Events of a rank's order as text: F3, with stages where there are several; E3 and X3 for Replicated regions. */
function orderText(shape: Shape, options = {}): string[] {
  const derivation = derive(shape, ownersOf(shape))
  const kinds: Record<string, string> = { Fwd: 'F', Bwd: 'B', BwdInput: 'I', BwdWeight: 'W' }
  return deriveOrder(shape, derivation, options).ranks.map(ids =>
    ids
      .map(id => {
        const event = derivation.events[id] as Extract<GraphEvent, { rank: number; microbatch: number }>
        const where = event.stage ?? `r${event.region}`
        return `${where}${kinds[event.kind]}${event.microbatch}`
      })
      .join(' ')
  )
}

const isCompute = (event: GraphEvent) => 'microbatch' in event && 'rank' in event

describe('notation', () => {
  it('prints what it reads, the angle brackets of the paper included', () => {
    for (const skeleton of SKELETONS)
      expect(parseSchedule(printSchedule([skeleton, '1f1b']))).toEqual([skeleton, '1f1b'])
    expect(parseSchedule(' \u27e8transpose, 1F1B\u27e9 ')).toEqual(['transpose', '1f1b'])
    expect(parseSchedule('\u3008gpipe\u3009')).toEqual(['gpipe'])
  })

  it.each(['transpose, 1f1b', '<transpose 1f1b>', '<>', '<1f1b,>', '<<1f1b>>', ''])('refuses %j', text => {
    expect(() => parseSchedule(text)).toThrow()
  })
})

describe('seams', () => {
  const seams = (spec: string, trained: readonly boolean[]) => seamsOf(shapeOf(spec, 2, 2, trained).regions)

  it('follow the layout pair and the gates', () => {
    expect(seams('<transpose, 1f1b>', [false, true])).toEqual([{ from: 0, to: 1, forward: 'Gather' }])
    expect(seams('<transpose, 1f1b>', [true, true])).toEqual([
      { from: 0, to: 1, forward: 'Gather', backward: 'Scatter' }
    ])
    expect(seams('<transpose, 1f1b, transpose>', [false, true, false])).toEqual([
      { from: 0, to: 1, forward: 'Gather' },
      { from: 1, to: 2, forward: 'Scatter', backward: 'Gather' }
    ])
    expect(seams('<1f1b, gpipe>', [true, false])).toEqual([{ from: 0, to: 1, forward: 'Send', backward: 'RecvGrad' }])
  })
})

describe('order of the named points', () => {
  it('1F1B and GPipe', () => {
    expect(orderText(shapeOf('<1f1b>', 2, 3, [true]))).toEqual(['0F0 0F1 0B0 0F2 0B1 0B2', '1F0 1B0 1F1 1B1 1F2 1B2'])
    expect(orderText(shapeOf('<gpipe>', 2, 2, [true]))).toEqual(['0F0 0F1 0B0 0B1', '1F0 1F1 1B0 1B1'])
  })

  it('Mpipe, frozen and trained, owner and first-rank backward, late overflow', () => {
    const frozen = shapeOf('<transpose, 1f1b>', 2, 3, [false, true])
    expect(orderText(frozen)).toEqual(['r0F0 r0F2 0F0 0F1 0B0 0F2 0B1 0B2', 'r0F1 1F0 1B0 1F1 1B1 1F2 1B2'])
    const trained = shapeOf('<transpose, 1f1b>', 2, 3, [true, true])
    expect(orderText(trained)).toEqual([
      'r0F0 r0F2 0F0 0F1 0B0 0F2 0B1 0B2 r0B0 r0B2',
      'r0F1 1F0 1B0 1F1 1B1 1F2 1B2 r0B1'
    ])
    expect(orderText({ ...trained, encoderBackward: 'first-rank' })[0]).toBe(
      'r0F0 r0F2 0F0 0F1 0B0 r0B0 0F2 0B1 r0B1 0B2 r0B2'
    )
    expect(orderText(frozen, { late: (m: number) => m >= 2 })[0]).toBe('r0F0 0F0 0F1 0B0 r0F2 0F2 0B1 0B2')
  })

  it('VPP-3 is one wavefront of three chunks', () => {
    const [first] = orderText(shapeOf('<1f1b, 1f1b, 1f1b>', 2, 4, [true, true, true]))
    expect(first).toBe(
      '0F0 0F1 2F0 2F1 4F0 4F1 0F2 4B0 0F3 4B1 2F2 2B0 2F3 2B1 4F2 0B0 4F3 0B1 4B2 4B3 2B2 2B3 0B2 0B3'
    )
  })

  it('a transposed sink turns around where its microbatch is owned', () => {
    expect(orderText(shapeOf('<1f1b, transpose>', 2, 2, [true, true]))).toEqual([
      '0F0 0F1 r1F0 r1B0 0B0 0B1',
      '1F0 1B0 1F1 r1F1 r1B1 1B1'
    ])
  })

  it('gpipe after 1f1b flushes it; 1f1b after gpipe runs between its forwards and backwards', () => {
    const text = (spec: string) => orderText(shapeOf(spec, 1, 2, [true, true]))
    expect(text('<1f1b, gpipe>')).toEqual(['0F0 0F1 1F0 1F1 1B0 1B1 0B0 0B1'])
    expect(text('<gpipe, 1f1b>')).toEqual(['0F0 0F1 1F0 1B0 1F1 1B1 0B0 0B1'])
  })

  it('the extensions are conservative: one chunk of wave is 1F1B, ZB-H1 joined is 1F1B', () => {
    const at = (spec: string) => orderText(shapeOf(spec, 3, 5, [true]))
    expect(at('<wave>')).toEqual(at('<1f1b>'))
    expect(at('<zb-h1>').map(text => text.replace(/ ?\d+W\d+/g, '').replaceAll('I', 'B'))).toEqual(at('<1f1b>'))
  })
})

/** All edges and sequence edges, sortable iff the order can finish. */
function sorts(shape: Shape): boolean {
  const derivation = derive(shape, ownersOf(shape))
  const order = deriveOrder(shape, derivation)
  const edges = [...derivation.edges, ...order.edges].map(edge => ({ ...edge, weight: 0 }))
  return topological(derivation.events.length, edges).length === derivation.events.length
}

const backwardFootprint = (shape: Shape) =>
  derive(shape, ownersOf(shape))
    .events.filter(event => event.kind === 'Bwd' || event.kind === 'DpReduce')
    .map(event => {
      const region = 'region' in event ? event.region : -1
      return `${event.kind} ${region} ${'microbatch' in event ? event.microbatch : ''}`
    })

describe('laws', () => {
  it('normalisation is idempotent, keeps depth order, and leaves nothing to merge', () => {
    let merged = 0
    fc.assert(
      fc.property(arbitraryShape({ normal: false }), ({ regions }) => {
        const once = normalise(regions)
        expect(normalise(once)).toEqual(once)
        expect(isNormal(once)).toBe(true)
        expect(once.flatMap(r => r.stages.flat())).toEqual(regions.flatMap(r => r.stages.flat()))
        merged += Number(once.length < regions.length)
      }),
      { numRuns: CASES, seed: 1 }
    )
    expect(merged).toBeGreaterThan(CASES / 10)
  })

  it('normalisation preserves meaning: the same gates, seams and graph as merging by hand', () => {
    let checked = 0
    fc.assert(
      fc.property(arbitraryShape({ normal: false }), shape => {
        const regions = normalise(shape.regions)
        const parts = partBackwards(shape.regions).flat(2)
        expect(partBackwards(regions).flat(2)).toEqual(parts)
        const graph = derive({ ...shape, regions }, ownersOf(shape))
        const replicated = regions.filter(r => layoutOf(r.skeleton) === 'Replicated')
        const runs = graph.events.filter(e => e.kind === 'Fwd' && e.stage === undefined).length
        const working = layoutOf(regions[0].skeleton) === 'Replicated' ? shape.sourceWork.filter(Boolean).length : 0
        const others = replicated.length - Number(layoutOf(regions[0].skeleton) === 'Replicated')
        expect(runs).toBe(working + others * shape.microbatches)
        checked++
      }),
      { numRuns: CASES, seed: 2 }
    )
    expect(checked).toBe(CASES)
  })

  it('concatenation is associative', () => {
    const chain = fc.array(fc.constantFrom<Skeleton>('1f1b', 'gpipe', 'transpose'), { maxLength: 3 })
    const make = (skeletons: readonly Skeleton[], from: number) =>
      skeletons.map((skeleton, i): RegionShape => ({ name: `r${from + i}`, skeleton, stages: [[{ trainable: true }]] }))
    fc.assert(
      fc.property(chain, chain, chain, (a, b, c) => {
        const [x, y, z] = [make(a, 0), make(b, 10), make(c, 20)]
        const left = normalise([...normalise([...x, ...y]), ...z])
        expect(normalise([...x, ...normalise([...y, ...z])])).toEqual(left)
      }),
      { numRuns: CASES, seed: 3 }
    )
  })

  it('derive is acyclic with its order, for every valid mix, and lists every compute event once', () => {
    let mixed = 0
    fc.assert(
      fc.property(arbitraryShape(), shape => {
        expect(sorts(shape)).toBe(true)
        const derivation = derive(shape, ownersOf(shape))
        const order = deriveOrder(shape, derivation)
        const compute = [...derivation.events.keys()].filter(id => isCompute(derivation.events[id]))
        expect(order.ranks.flat().sort((a, b) => a - b)).toEqual(compute)
        for (const [rank, ids] of order.ranks.entries()) {
          expect(ids.every(id => (derivation.events[id] as { rank: number }).rank === rank)).toBe(true)
        }
        mixed += Number(shape.regions.length > 2)
      }),
      { numRuns: CASES, seed: 4 }
    )
    expect(mixed).toBeGreaterThan(CASES / 5)
  })

  it('derive is acyclic with the orders of the extensions', () => {
    let checked = 0
    for (const skeleton of ['wave', 'zb-h1', 'zbv', 'dualpipev'] as const) {
      for (const ranks of [1, 2, 3, 4]) {
        for (const microbatches of [1, 4, 8, 9]) {
          if (skeleton === 'dualpipev' && microbatches < 2 * ranks) continue
          for (const trained of [true, false]) {
            const chunks = skeleton === 'zb-h1' ? 1 : 2
            const spec = `<transpose, ${Array.from({ length: chunks }, () => skeleton).join(', ')}>`
            expect(sorts(shapeOf(spec, ranks, microbatches, [trained, true, true]))).toBe(true)
            checked++
          }
        }
      }
    }
    expect(checked).toBeGreaterThan(100)
  })

  it('the backward footprint ignores the skeletons (Corollary 1) and is what Lemma 1 opens', () => {
    let changed = 0
    fc.assert(
      fc.property(arbitraryShape(), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), (shape, flips) => {
        const other = withRegions(shape, (region, i) => {
          if (layoutOf(region.skeleton) === 'Replicated') return region
          const flip: Skeleton = region.skeleton === '1f1b' ? 'gpipe' : '1f1b'
          return flips[i] ? { ...region, skeleton: flip } : region
        })
        expect(backwardFootprint(other)).toEqual(backwardFootprint(shape))
        changed += Number(
          printSchedule(other.regions.map(r => r.skeleton)) !== printSchedule(shape.regions.map(r => r.skeleton))
        )
        const runs = new Set(
          backwardFootprint(shape)
            .filter(e => e.startsWith('Bwd'))
            .map(e => Number(e.split(' ')[1]))
        )
        for (const [region, gates] of gatesOf(shape.regions).entries()) {
          const works =
            region > 0 ||
            shape.sourceWork.some(Boolean) ||
            (shape.regions.length === 1 && layoutOf(shape.regions[0].skeleton) === 'Sharded')
          expect(runs.has(region)).toBe(gates.receives && works)
        }
      }),
      { numRuns: CASES, seed: 5 }
    )
    expect(changed).toBeGreaterThan(CASES / 4)
  })

  it('refuses an extension with another number of stages per rank than it is made for', () => {
    expect(() => orderText(shapeOf('<zbv>', 2, 4, [true]))).toThrow(/EXTENSION_STAGES/)
    expect(() => orderText(shapeOf('<wave, zbv>', 2, 4, [true]))).toThrow(/NOT_YET/)
    expect(() => orderText(shapeOf('<wave, 1f1b>', 2, 4, [true]))).toThrow(/MIXED_MAPS/)
  })

  it('transposing or pipelining the encoder leaves the same backward events per microbatch and region', () => {
    for (const trained of [true, false]) {
      const of = (spec: string) => new Set(backwardFootprint(shapeOf(spec, 2, 3, [trained, true])).map(e => e.trim()))
      expect(of('<transpose, 1f1b>')).toEqual(of('<1f1b, 1f1b>'))
    }
  })

  it('freezing deletes exactly the gated events and changes no forward order', () => {
    let gated = 0
    fc.assert(
      fc.property(arbitraryShape(), shape => {
        const names = (of: Shape) => {
          const derivation = derive(of, ownersOf(of))
          return deriveOrder(of, derivation).ranks.map(ids => ids.map(id => JSON.stringify(derivation.events[id])))
        }
        const trained = withRegions(shape, r => ({
          ...r,
          stages: r.stages.map(parts => parts.map(() => ({ trainable: true })))
        }))
        const [all, some] = [names(trained), names(shape)]
        const kept = new Set(some.flat())
        expect(all.map(list => list.filter(name => kept.has(name)))).toEqual(some)
        const gates = gatesOf(shape.regions)
        const wrong = all.flat().filter(name => {
          const event = JSON.parse(name) as { kind: string; region: number }
          return kept.has(name) !== (event.kind === 'Fwd' || gates[event.region].receives)
        })
        expect(wrong).toEqual([])
        gated += Number(trainableSource(shape.regions) !== 0)
      }),
      { numRuns: CASES, seed: 6 }
    )
    expect(gated).toBeGreaterThan(CASES / 10)
  })
})

describe('several sources in parallel', () => {
  const source = (name: string, trainable: boolean, work = [true, true, true]) => ({
    region: { name, skeleton: 'transpose' as const, stages: [[{ trainable }]] },
    work
  })
  const chain = (trainable = true): RegionShape[] => [
    { name: 'llm', skeleton: '1f1b', stages: [[{ trainable }], [{ trainable }]] }
  ]
  const size = { ranks: 2, microbatches: 3, encoderBackward: 'owner' as const }

  it('one source is the chain', () => {
    const alone = parallelSources([source('vision', true)], chain(), size)
    const plain: Shape = { ...size, regions: alone.regions, sourceWork: [true, true, true] }
    expect(derive(alone, [0, 1, 0])).toEqual(derive(plain, [0, 1, 0]))
  })

  it('each feeds the backbone by the same seam rules, its gradient gated by its own bits', () => {
    const shape = parallelSources([source('vision', true), source('audio', false, [false, true, true])], chain(), size)
    const derivation = derive(shape, {
      byRegion: new Map([
        [0, [0, 1, 0]],
        [1, [1, 1, 0]]
      ])
    })
    expect(derivation.seams).toEqual([
      { from: 0, to: 2, forward: 'Gather', backward: 'Scatter' },
      { from: 1, to: 2, forward: 'Gather' }
    ])
    expect(gatesOf(shape.regions, shape.inputs)).toEqual([
      { sends: false, receives: true, reduces: true },
      { sends: false, receives: false, reduces: false },
      { sends: true, receives: true, reduces: true }
    ])
    const count = (kind: string, region: number) =>
      derivation.events.filter(e => e.kind === kind && 'region' in e && e.region === region).length
    expect([count('Fwd', 0), count('Fwd', 1), count('Bwd', 0), count('Bwd', 1)]).toEqual([3, 2, 3, 0])
    const { ranks, edges } = deriveOrder(shape, derivation)
    const name = (id: number) => {
      const event = derivation.events[id] as Extract<GraphEvent, { rank: number; microbatch: number }>
      return `${event.kind}${event.stage === undefined ? `r${event.region}` : ''}${event.microbatch}`
    }
    // Prefix by microbatch, the sources in turn; only the trained one has a suffix.
    expect(ranks[0].map(name).join(' ')).toMatch(/^Fwdr00 Fwdr02 Fwdr12 Fwd0 .* Bwdr00 Bwdr02$/)
    const all = [...derivation.edges, ...edges].map(edge => ({ ...edge, weight: 0 }))
    expect(topological(derivation.events.length, all).length).toBe(derivation.events.length)
  })

  it('a backbone after a frozen and a trained source waits for both and returns to one', () => {
    const shape = parallelSources([source('vision', false), source('audio', false)], chain(false), size)
    expect(derive(shape, [0, 1, 0]).events.some(event => event.kind === 'Bwd')).toBe(false)
  })

  it('refuses sharded sources, no sources, and nothing to feed', () => {
    const sharded = { region: { ...chain()[0] }, work: [true, true, true] }
    expect(() => parallelSources([sharded], chain(), size)).toThrow(/PARALLEL_SOURCE/)
    expect(() => parallelSources([], chain(), size)).toThrow(/PARALLEL_SOURCE/)
    expect(() => parallelSources([source('vision', true)], [], size)).toThrow(/PARALLEL_SOURCE/)
  })
})

describe('bidirectional feed', () => {
  it('is a second input: dualpipe without it is refused', () => {
    expect(() => orderText(shapeOf('<dualpipe>', 4, 8, [true]))).toThrow(/MISSING_FEED/)
    expect(() => bidirectionalFeed(4, 7)).toThrow(/ODD_FEED/)
  })

  it('gives every stage two ranks, each half of the microbatches one of them', () => {
    const shape = { ...shapeOf('<dualpipe>', 4, 8, [true]), stageMap: bidirectionalFeed(4, 8) }
    const derivation = derive(shape, [])
    const order = deriveOrder(shape, derivation)
    const compute = derivation.events.filter(isCompute).length
    expect(order.ranks.flat().length).toBe(compute)
    expect(compute).toBe(3 * 4 * 8)
    for (const event of derivation.events) {
      if (event.kind === 'Fwd') expect(event.rank).toBe(event.microbatch < 4 ? event.stage : 3 - (event.stage ?? 0))
    }
    const all = [...derivation.edges, ...order.edges].map(edge => ({ ...edge, weight: 0 }))
    expect(topological(derivation.events.length, all).length).toBe(derivation.events.length)
  })
})
