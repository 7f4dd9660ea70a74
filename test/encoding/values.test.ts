import { describe, expect, it } from 'vitest'
import { range, sum } from '../../src/base/arrays.ts'
import { randomFrom } from '../../src/base/random.ts'
import type { Encoded } from '../../src/encoding/encoded.ts'
import { encodeJointCp, encodePlacementCp, encodePlacementMilp } from '../../src/encoding/index.ts'
import type { Cp, Milp } from '../../src/encoding/model/types.ts'
import { injected, reorderTask } from '../../src/optimize/reorder.ts'
import { placeTask } from '../../src/optimize/search/greedy.ts'
import { encoderTasks } from '../../src/optimize/search/insertion.ts'
import { OrderState } from '../../src/optimize/search/order-state.ts'
import { ownerSequences } from '../../src/optimize/search/owners.ts'
import { ownerTask, placementTask } from '../../src/optimize/tasks.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Measured, Tick } from '../../src/schedule/measured.ts'
import { peakBytes } from '../../src/schedule/memory.ts'
import type { Problem, Schedule, Sequences } from '../../src/schedule/problem.ts'
import { latencyRelaxation } from '../../src/schedule/relax.ts'
import { objectiveOf, pointFault } from '../../src/solvers/point.ts'
import { generateMeasured, randomOrder, seededRandom } from '../support/generate.ts'

const SEEDS = range(60)

function timed(problem: Problem, sequences: Sequences): Schedule {
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') throw new Error('the order cannot finish')
  return evaluation.schedule
}

/** The instance with just the memory that an order of it takes, for every other seed. */
function limited(measured: Measured, seed: number, schedule: Schedule, problem: Problem): Measured {
  return seed % 2 === 0 ? measured : { ...measured, capacity: peakBytes(problem, schedule) }
}

/** What is wrong with the values of a legal schedule: they are a point of the model, as long, and decode to its like. */
function fault(encoded: Encoded<Milp | Cp>, problem: Problem, schedule: Schedule, value = schedule.makespan) {
  const values = encoded.valuesOf?.(schedule)
  if (!values) return 'has no values'
  const broken = pointFault(encoded.model, values)
  if (broken) return broken
  const objective = objectiveOf(encoded.model, values)
  if (objective !== Math.floor(value / encoded.unit)) return `objective ${objective} of ${value}/${encoded.unit}`
  if (!encoded.exact) return undefined
  const again = evaluate(problem, encoded.decode(values))
  if (again.kind === 'cycle') return 'decodes to a cycle'
  return again.schedule.makespan > schedule.makespan ? `decodes to ${again.schedule.makespan}` : undefined
}

/** The orders of a seed's placement that are tried: a random one, and one built by insertion. */
function ordersOf(problem: Problem, body: Sequences, seed: number): readonly Sequences[] {
  const state = new OrderState(problem, body)
  for (const task of encoderTasks(problem, body)) placeTask(state, task, randomFrom(seed))
  return [randomOrder(problem, seed, body), state.sequences()]
}

function drawn(seed: number): Measured {
  return generateMeasured(seed, {
    encoderParts: seed % 3 === 1,
    maxRanks: 3,
    maxMicrobatches: 5,
    ...(seed % 3 === 2 ? { source: 'transposed', uniform: true } : {})
  })
}

describe('a legal schedule is a point of the model', () => {
  it('of placement, as slots and as intervals', () => {
    let seen = 0
    for (const seed of SEEDS) {
      const open = buildProblem(drawn(seed))
      const body = bodySequences(open, bodyOrder(drawn(seed)))
      for (const order of ordersOf(open, body, seed)) {
        const problem = buildProblem(limited(drawn(seed), seed, timed(open, order), open))
        const schedule = timed(problem, order)
        for (const encode of [encodePlacementMilp, encodePlacementCp]) {
          const encoded = encode(problem, body, schedule.makespan)
          expect(fault(encoded, problem, schedule), `seed ${seed}`).toBeUndefined()
          seen++
        }
      }
    }
    expect(seen).toBe(4 * SEEDS.length)
  })

  it('of joint, whatever the order of alike microbatches', () => {
    let [seen, renamed] = [0, 0]
    for (const seed of range(120)) {
      const open = buildProblem(drawn(seed), { split: true })
      const order = randomOrder(open, seed)
      const problem = buildProblem(limited(drawn(seed), seed, timed(open, order), open), { split: true })
      const schedule = timed(problem, order)
      const encoded = encodeJointCp(problem, schedule.makespan)
      expect(fault(encoded, problem, schedule), `seed ${seed}`).toBeUndefined()
      seen++
      if (problem.symmetric.length > 0) renamed++
    }
    expect(seen).toBe(120)
    expect(renamed).toBeGreaterThanOrEqual(40)
  })

  it('of reorder, whatever the injection order', () => {
    let [seen, parts] = [0, 0]
    for (const seed of range(80)) {
      const random = seededRandom(seed)
      const measured = generateMeasured(seed, {
        encoderParts: seed % 2 === 0,
        source: 'transposed',
        trainableSource: false,
        uniform: true,
        ...(seed % 4 < 2 ? { bytes: false } : {})
      })
      const fixed = placementTask(measured)
      const injection = range(measured.microbatches).sort(() => random.int(0, 1) - 0.5)
      const one = injected(fixed, injection)
      const order = randomOrder(one.problem, seed, one.body)
      const { problem, encodeCp } = reorderTask(
        placementTask(limited(measured, seed, timed(one.problem, order), one.problem))
      )
      if (!encodeCp || reorderTask(fixed).ofOrder === undefined) continue
      const schedule = timed(problem, order)
      expect(fault(encodeCp(schedule.makespan), problem, schedule), `seed ${seed}`).toBeUndefined()
      seen++
      if (measured.items) parts++
    }
    expect(seen).toBeGreaterThanOrEqual(20)
    expect(parts).toBeGreaterThanOrEqual(10)
  })

  it('of owner, by makespan and by spill', () => {
    let seen = 0
    for (const seed of SEEDS) {
      const measured = drawn(seed)
      const random = seededRandom(seed)
      const tasks = sum(range(measured.microbatches).map(m => measured.items?.[m].length ?? 1))
      const [task, spill] = (['makespan', 'spill'] as const).map(objective => ownerTask(measured, objective))
      const schedule = timed(
        task.problem,
        ownerSequences(
          task,
          range(tasks).map(() => random.int(0, measured.ranks - 1))
        )
      )
      const most = spill.objectiveOf?.(schedule) as Tick
      const [byMakespan, bySpill] = [task.encodeMilp?.(schedule.makespan), spill.encodeMilp?.(most)]
      if (!byMakespan || !bySpill) throw new Error('no integer model')
      expect(fault(byMakespan, task.problem, schedule), `seed ${seed}`).toBeUndefined()
      expect(fault(bySpill, task.problem, schedule, most), `seed ${seed}`).toBeUndefined()
      seen++
    }
    expect(seen).toBe(SEEDS.length)
  })

  it('of the relaxation to latency, where transfers queue or block', () => {
    let later = 0
    for (const seed of SEEDS) {
      const base = generateMeasured(seed, { maxRanks: 3, maxMicrobatches: 4, source: 'transposed', zeros: false })
      const model = seed % 4 < 2 ? 'link' : 'blocking'
      const measured: Measured = { ...base, communication: { ...base.communication, model } }
      const body = bodySequences(buildProblem(measured), bodyOrder(measured))
      const [order] = ordersOf(latencyRelaxation(buildProblem(measured)), body, seed)
      const evaluation = evaluate(buildProblem(measured), order)
      if (evaluation.kind === 'cycle') continue
      const { schedule } = evaluation
      const problem = latencyRelaxation(
        buildProblem(limited(measured, seed, schedule, latencyRelaxation(buildProblem(measured))))
      )
      if (schedule.makespan > timed(problem, order).makespan) later++
      for (const encode of [encodePlacementMilp, encodePlacementCp])
        expect(fault(encode(problem, body, schedule.makespan), problem, schedule), `seed ${seed}`).toBeUndefined()
    }
    expect(later).toBeGreaterThanOrEqual(10)
  })

  it('that starts late and between the units of the model', () => {
    let seen = 0
    for (const seed of SEEDS) {
      const measured = tenfold(generateMeasured(seed, { maxRanks: 3, maxMicrobatches: 4, source: 'transposed' }))
      const problem = buildProblem(measured)
      const body = bodySequences(problem, bodyOrder(measured))
      for (const order of ordersOf(problem, body, seed)) {
        const early = timed(problem, order)
        const late = { ...early, start: early.start.map(tick => tick + 7), makespan: early.makespan + 7 }
        for (const encode of [encodePlacementMilp, encodePlacementCp]) {
          const encoded = encode(problem, body, late.makespan)
          expect(encoded.unit % 10).toBe(0)
          expect(fault(encoded, problem, late), `seed ${seed}`).toBeUndefined()
          seen++
        }
      }
    }
    expect(seen).toBe(4 * SEEDS.length)
  })
})

/** Every duration and lag ten times as long. */
function tenfold(measured: Measured): Measured {
  const long = (list: readonly Tick[]) => list.map(ticks => 10 * ticks)
  const { communication, regions } = measured
  const { send, gather, scatter, broadcast, reduce } = communication
  return {
    ...measured,
    regions: regions.map(region => ({
      ...region,
      stages: region.stages.map(stage =>
        stage.map(slab => ({
          ...slab,
          forward: long(slab.forward),
          backward:
            slab.backward.kind === 'full'
              ? { kind: 'full', full: long(slab.backward.full) }
              : { ...slab.backward, input: long(slab.backward.input), weight: long(slab.backward.weight) }
        }))
      )
    })),
    communication: {
      ...communication,
      send: 10 * send,
      gather: 10 * gather,
      scatter: 10 * scatter,
      broadcast: 10 * broadcast,
      reduce: new Map([...reduce].map(([origin, ticks]) => [origin, 10 * ticks]))
    }
  }
}

describe('a schedule that the model has no place for', () => {
  const measured = generateMeasured(5, { ranks: 2, microbatches: 4, source: 'transposed', zeros: false, chunks: 1 })
  const fixed = placementTask(measured)
  const other = injected(fixed, [1, 0, 2, 3])

  it('has no values where its body is another', () => {
    const schedule = timed(other.problem, randomOrder(other.problem, 1, other.body))
    expect(fixed.encodeMilp?.(schedule.makespan).valuesOf?.(schedule)).toBeUndefined()
  })

  it('breaks the model where it ends beyond the horizon', () => {
    const schedule = timed(fixed.problem, randomOrder(fixed.problem, 1, fixed.body))
    for (const encode of [fixed.encodeMilp, fixed.encodeCp]) {
      const encoded = encode?.(schedule.makespan - 1)
      const values = encoded?.valuesOf?.(schedule)
      if (encoded && values) expect(pointFault(encoded.model, values)).toBeDefined()
    }
  })
})
