import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { type Counterexample, fullest } from '../../src/prove/durations/counterexample.ts'
import { countMemory, type Sizes, sizesOf } from '../../src/prove/durations/counting.ts'
import { graphOfDocument, type OrderGraph } from '../../src/prove/durations/order-graph.ts'
import { propertiesOf } from '../../src/prove/durations/properties.ts'
import { proveOrder } from '../../src/prove/durations/prove-order.ts'
import { acyclicity, reachOf } from '../../src/prove/durations/reach.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import type { ScheduleDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Measured, Slab } from '../../src/schedule/measured.ts'
import { memoryProfiles, peakBytes } from '../../src/schedule/memory.ts'
import type { Problem } from '../../src/schedule/problem.ts'
import { releaseSolvers } from '../../src/solvers/run.ts'
import { type Random, seededRandom } from '../support/generate.ts'
import { generateTimed, type Timed } from '../support/timed.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

function analysed(timed: Timed) {
  const graph = graphOfDocument(timed.measured, timed.document)
  const finish = acyclicity(graph)
  if (!finish.acyclic) throw new Error('an evaluated order finishes')
  return {
    graph,
    topological: finish.topological,
    reach: reachOf(graph, finish.topological),
    sizes: sizesOf(timed.measured)
  }
}

/** The same instance with other durations: what is 0 for a source stays 0, so the events are the same. */
function otherDurations(measured: Measured, random: Random): Measured {
  const draw = () => (random.chance(0.3) ? 0 : random.int(1, random.pick([3, 30, 300])))
  const slab = (s: Slab, source: boolean): Slab => ({
    ...s,
    forward: s.forward.map(ticks => (source ? (ticks > 0 ? 1 + draw() : 0) : draw())),
    backward:
      s.backward.kind === 'full'
        ? { kind: 'full', full: s.backward.full.map(draw) }
        : { ...s.backward, input: s.backward.input.map(draw), weight: s.backward.weight.map(draw) }
  })
  const isSource = (index: number) =>
    index === 0 && (measured.regions.length > 1 || measured.regions[0].skeleton === 'transpose')
  const regions = measured.regions.map((region, index) => ({
    ...region,
    stages: region.stages.map(stage => stage.map(s => slab(s, isSource(index))))
  }))
  const communication = { ...measured.communication, send: draw(), gather: draw(), scatter: draw() }
  return { ...measured, regions, communication }
}

/** The problem and schedule that a counterexample describes, for the memory profile to judge. */
function replay(problem: Problem, graph: OrderGraph, example: Counterexample) {
  const nodeOf = new Map(graph.nodes.map(({ kind, stage, microbatch }, id) => [`${kind}/${stage}/${microbatch}`, id]))
  const nodes = problem.events.map(({ key }) => nodeOf.get(`${key.kind}/${key.stage}/${key.microbatch}`))
  const events = problem.events.map((event, id) => {
    const node = nodes[id]
    const duration = node === undefined ? 0 : example.durations[node]
    return { ...event, modes: event.modes.map(mode => ({ ...mode, duration })) }
  })
  const lags = [new Float64Array(problem.ranks ** 2)]
  const edges = problem.edges.map(edge => {
    const from = nodes[edge.from]
    const long =
      edge.channel === 'gather' &&
      example.special.includes(
        `the gather of E(microbatch ${from === undefined ? -1 : graph.nodes[from].microbatch}) takes ${3 * (graph.nodes.length + 1)} ticks`
      )
    if (!long) return { ...edge, lag: 0 }
    return {
      ...edge,
      lag:
        lags.push(
          Float64Array.from({ length: problem.ranks ** 2 }, (_, cell) =>
            Math.floor(cell / problem.ranks) === cell % problem.ranks ? 0 : 3 * (graph.nodes.length + 1)
          )
        ) - 1
    }
  })
  const start = Float64Array.from(nodes, node => (node === undefined ? 0 : example.start[node]))
  const rankOf = Int32Array.from(nodes, node => (node === undefined ? 0 : graph.nodes[node].rank))
  return memoryProfiles({ ...problem, events, edges, lags }, { sequences: [], rankOf, start, makespan: 0 })
}

describe('an order for every duration', { timeout: 180_000 }, () => {
  it('counts memory that no durations exceed, and shows durations that reach it', () => {
    const seen = { orders: 0, above: 0, withOutput: 0, gaps: 0, reached: 0 }
    for (let seed = 0; seed < 160; seed++) {
      const timed = generateTimed(seed)
      const { measured, problem, schedule } = timed
      const { graph, reach, sizes } = analysed(timed)
      const counts = countMemory(graph, reach, sizes)
      const random = seededRandom(seed)
      for (let draw = 0; draw < 4; draw++) {
        const other = otherDurations(measured, random)
        const same = buildProblem(other, { split: seed % 2 === 0 })
        const evaluation = evaluate(same, schedule.sequences)
        if (evaluation.kind === 'cycle') throw new Error('cycles do not depend on durations')
        const peaks = peakBytes(same, evaluation.schedule)
        for (const [rank, peak] of peaks.entries()) expect(peak, `seed ${seed}`).toBeLessThanOrEqual(counts[rank].peak)
      }
      seen.orders++
      if (peakBytes(problem, schedule).some((peak, rank) => peak < counts[rank].peak)) seen.above++
      if (sizes.source({ microbatch: 0, item: 0, chunk: 0 }).output > 0) seen.withOutput++
      checkReached(timed, counts, sizes, seen)
    }
    expect(seen.orders).toBe(160)
    expect(seen.above).toBeGreaterThanOrEqual(5)
    expect(seen.withOutput).toBeGreaterThan(40)
    expect(seen.gaps).toBeGreaterThanOrEqual(3)
    expect(seen.reached).toBeGreaterThan(150)
  })

  function checkReached(
    timed: Timed,
    counts: ReturnType<typeof countMemory>,
    sizes: Sizes,
    seen: { gaps: number; reached: number }
  ): void {
    const { graph, topological, reach } = analysed(timed)
    for (const [rank, { peak, moment }] of counts.entries()) {
      if (moment < 0) continue
      const example = fullest(graph, topological, reach, sizes, rank, moment)
      const profile = replay(timed.problem, graph, example)[rank]
      const at = profile.steps.findLast(step => step.at <= example.tick)
      expect(at?.bytes, `${timed.measured.name} rank ${rank} moment ${moment}`).toBe(peak)
      if (moment % 2 === 0) seen.gaps++
      seen.reached++
    }
  }

  it('MEMORY: one byte below the count is refused, the count itself is not', async () => {
    let applied = 0
    for (let seed = 0; seed < 80; seed++) {
      const timed = generateTimed(seed)
      const { graph, reach, sizes } = analysed(timed)
      const peaks = countMemory(graph, reach, sizes).map(count => count.peak)
      expect((await proveOrder(graph, { sizes, capacity: peaks })).faults).toEqual([])
      const rank = peaks.findIndex(peak => peak > 0)
      if (rank < 0) continue
      const { faults } = await proveOrder(graph, { sizes, capacity: peaks.with(rank, peaks[rank] - 1) })
      expect(faults.map(fault => [fault.code, fault.rank])).toEqual([['MEMORY', rank]])
      applied++
    }
    expect(applied).toBeGreaterThanOrEqual(40)
  })

  it('every rule, stated end to end, follows on the graph for 500 random legal orders', async () => {
    let pairs = 0
    for (let seed = 0; seed < 500; seed++) {
      const { graph, reach } = analysed(generateTimed(seed))
      expect((await proveOrder(graph)).faults, `seed ${seed}`).toEqual([])
      for (const property of propertiesOf(graph)) {
        for (const { before, after } of property.pairs) {
          expect(reach.precedes(before, after), `seed ${seed}: ${property.text}`).toBe(true)
          pairs++
        }
      }
    }
    expect(pairs).toBeGreaterThan(20_000)
  })

  it('CYCLE: an event moved before one that it needs is found, with the cycle', async () => {
    let applied = 0
    for (let seed = 0; seed < 120; seed++) {
      const timed = generateTimed(seed)
      const broken = swapped(timed.document)
      if (!broken) continue
      const { faults } = await proveOrder(graphOfDocument(timed.measured, broken))
      expect(
        faults.map(fault => fault.code),
        `seed ${seed}`
      ).toEqual(['CYCLE'])
      expect(faults[0].nodes.length).toBeGreaterThan(1)
      applied++
    }
    expect(applied).toBeGreaterThanOrEqual(40)
  })
})

/** A backward and the forward of its stage and microbatch, trading places in the list. */
function swapped(document: ScheduleDocument): ScheduleDocument | undefined {
  for (const [rank, events] of document.ranks.entries()) {
    for (const [step, event] of events.entries()) {
      if (event.kind !== 'B' && event.kind !== 'I') continue
      const forward = events.findIndex(
        e => e.kind === 'F' && e.stage === event.stage && e.microbatch === event.microbatch
      )
      const list = events.with(step, events[forward]).with(forward, event)
      return { ...document, ranks: document.ranks.map((own, r) => (r === rank ? list : own)) }
    }
  }
  return undefined
}

describe('Z3 agrees', { timeout: 180_000 }, () => {
  it('confirms each rule, and that it rests on the classes of edges that the graph names', async () => {
    const used = new Set<string>()
    let confirmed = 0
    for (let seed = 0; confirmed < 4; seed++) {
      const timed = generateTimed(seed, {
        ranks: 2 + (seed % 2),
        microbatches: 2 + (seed % 3),
        zeros: false,
        source: 'transposed',
        trainableSource: true
      })
      const proof = await proveOrder(graphOfDocument(timed.measured, timed.document), { host, confirmEvents: 60 })
      if (!proof.confirmation) continue
      expect(proof.confirmation.status, `seed ${seed}`).toBe('confirmed')
      for (const by of proof.needed) {
        used.add(by)
        const witness = proof.confirmation.witnesses.get(by)
        expect(witness && witness.start[witness.pair.after] < witness.end[witness.pair.before]).toBe(true)
      }
      confirmed++
    }
    expect([...used].sort()).toEqual(['accumulate', 'broadcast', 'gather', 'rank order', 'recvGrad', 'scatter', 'send'])
  })
})
