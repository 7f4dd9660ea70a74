import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { placementBounds } from '../../src/bounds/index.ts'
import { anyInjection } from '../../src/bounds/reorder.ts'
import type { Encoded } from '../../src/encoding/encoded.ts'
import { encodePlacementSmt, encodeReorderSmt } from '../../src/encoding/index.ts'
import type { Smt } from '../../src/encoding/model/types.ts'
import { positionsOf } from '../../src/encoding/positions.ts'
import { takenPositions } from '../../src/encoding/taken.ts'
import { longestMakespan } from '../../src/optimize/task.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import type { CommunicationModel, Measured } from '../../src/schedule/measured.ts'
import { latencyRelaxation } from '../../src/schedule/relax.ts'
import { backend as z3 } from '../../src/solvers/z3/backend.ts'
import { permutations, permuted } from '../support/exhaustive.ts'
import { seededRandom } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const MODELS: readonly CommunicationModel[] = ['latency', 'link', 'blocking']

/** Uneven encoder work, frozen or trained, some microbatches without; in some outputs wait, in some the backbone is uneven too. */
function uneven(seed: number, model: CommunicationModel): Measured {
  const random = seededRandom(seed * 13 + 5)
  const limited = model === 'latency' && random.chance(0.7)
  // Memory and blocking transfers relate everything to everything: three microbatches take Z3 long.
  const microbatches = limited || model === 'blocking' ? 2 : random.int(2, 3)
  const alike = random.chance(0.4)
  const encoder = range(microbatches).map(() => (alike ? 5 : random.chance(0.15) ? 0 : random.int(1, 9)))
  const trainable = random.chance(0.6)
  const longer = !limited && random.chance(0.5)
  const lengths = (low: number, high: number) => {
    const one = random.int(low, high)
    return longer ? range(microbatches).map(m => one * (1 + (m % 2)) + random.int(0, 1)) : one
  }
  const measured = sketch({
    ranks: 2,
    microbatches,
    encoder,
    trainable,
    encoderBackward: trainable ? encoder.map(ticks => 2 * ticks) : 0,
    forward: lengths(1, 3),
    backward: lengths(1, 5),
    lag: random.int(1, 3),
    ...(limited ? { slab: { activation: 2 }, source: { activation: 1, output: 1 } } : {})
  })
  const parts = random.chance(0.3) && encoder.every(ticks => ticks > 0)
  const shaped: Measured = {
    ...measured,
    ...(parts ? { items: range(microbatches).map(m => (m % 2 === 0 ? [1, 1] : [1, 2])) } : {}),
    communication: { ...measured.communication, model },
    encoderBackward: random.pick(['owner', 'first-rank'])
  }
  return limited ? { ...shaped, capacity: [0, 1].map(() => random.int(3, 5)) } : shaped
}

async function holds(encoded: Encoded<Smt>): Promise<boolean> {
  const { status } = await z3.solve({ model: encoded.model, timeLimitMs: 50_000 })
  expect(['sat', 'unsat']).toContain(status)
  return status === 'sat'
}

/** The least horizon at which a decision holds; undefined where none up to `most` does. */
async function leastOf(
  encode: (horizon: number) => Encoded<Smt>,
  bound: number,
  most: number
): Promise<number | undefined> {
  if (!(await holds(encode(most)))) return undefined
  let [low, high] = [bound, most]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await holds(encode(middle))) high = middle
    else low = middle + 1
  }
  return low
}

/** Whether some injection order's placement holds, one order after the other. */
async function someOrderHolds(measured: Measured, horizon: number): Promise<boolean> {
  for (const order of permutations(measured.microbatches)) {
    const one = permuted(measured, order)
    const problem = buildProblem(one)
    const body = bodySequences(problem, bodyOrder(one))
    const { model } = one.communication
    if (await holds(encodePlacementSmt(latencyRelaxation(problem), body, horizon, model))) return true
  }
  return false
}

describe('positions that microbatches take', () => {
  const seen = { cases: 0, trained: 0, limited: 0, longer: 0, counted: 0, closed: 0 }

  it.each(MODELS)('%s: the optimum over injection orders is the least over placements', async model => {
    for (const seed of range(7)) {
      const measured = uneven(seed, model)
      const problem = buildProblem(measured)
      const taken = takenPositions(latencyRelaxation(problem), 'any')
      if (!taken) continue
      const body = bodySequences(problem, bodyOrder(measured))
      const encode = (horizon: number) => encodeReorderSmt(taken, body, horizon, model)
      const bound = placementBounds(anyInjection(latencyRelaxation(problem)), body)[0].ticks
      const least = await leastOf(encode, bound, longestMakespan(problem))
      const counted = model === 'latency' && taken.uneven.length === 0 ? positionsOf(problem) : undefined
      if (counted) {
        const byCount = (horizon: number) => encodeReorderSmt(counted, body, horizon)
        expect(await leastOf(byCount, bound, longestMakespan(problem)), `seed ${seed}`).toBe(least)
        seen.counted++
      }
      seen.cases++
      if (problem.events.some(event => event.key.kind === 'EB')) seen.trained++
      if (taken.uneven.length > 0) seen.longer++
      if (problem.capacity.some(limit => limit !== undefined)) seen.limited++
      if (least === undefined) {
        seen.closed++
        expect(await someOrderHolds(measured, longestMakespan(problem)), `seed ${seed}`).toBe(false)
        continue
      }
      expect(await someOrderHolds(measured, least), `seed ${seed}`).toBe(true)
      expect(await someOrderHolds(measured, least - 1), `seed ${seed}`).toBe(false)
    }
  })

  it('counted enough', () => {
    expect(seen.cases).toBeGreaterThanOrEqual(18)
    expect(seen.trained).toBeGreaterThanOrEqual(5)
    expect(seen.longer).toBeGreaterThanOrEqual(5)
    expect(seen.limited).toBeGreaterThanOrEqual(3)
  })

  it('leave open which of two alike encodes comes first where their microbatches differ in length', async () => {
    const base = sketch({ ranks: 2, microbatches: 2, encoder: 3, forward: [1, 3], backward: 1 })
    // Encodes share the first rank, since gathers take long. The short microbatch enters last.
    const problem = buildProblem({ ...base, communication: { ...base.communication, gather: 50 } })
    const taken = takenPositions(problem, 'any')
    if (!taken) throw new Error('lengths differ')
    const body = bodySequences(problem, bodyOrder(base))
    expect(await leastOf(horizon => encodeReorderSmt(taken, body, horizon), 0, 100)).toBe(13)
  })

  it('leave open which of two alike encodes comes first where their microbatches have others besides', async () => {
    const base = sketch({ ranks: 2, microbatches: 2, encoder: [12, 4], forward: 1, backward: 1 })
    const [vision, llm] = base.regions
    const [first, last] = llm.stages
    const slow = last.map(slab => ({ ...slab, forward: [20, 20] }))
    const measured: Measured = {
      ...base,
      regions: [vision, { ...llm, stages: [first, slow] }],
      communication: { ...base.communication, gather: 50 },
      items: [
        [3, 9],
        [3, 1]
      ]
    }
    // The second microbatch, encoded within 4, has to enter first: 4 + 1 + 20 + 1 + 20 + 1 + 1.
    const problem = buildProblem(measured)
    const body = bodySequences(problem, bodyOrder(measured))
    for (const positions of [positionsOf(problem), takenPositions(problem)]) {
      if (!positions) throw new Error('alike but for their encodes')
      expect(await leastOf(horizon => encodeReorderSmt(positions, body, horizon), 0, 120)).toBe(48)
    }
  })

  it('are for microbatches that differ at a stage only where asked for, and not where nothing differs', () => {
    const base = sketch({ ranks: 2, microbatches: 2, encoder: [1, 2] })
    const [vision, llm] = base.regions
    const stages = llm.stages.map(stage => stage.map(slab => ({ ...slab, forward: [1, 2] })))
    expect(takenPositions(buildProblem(base))).toBeDefined()
    const differing = buildProblem({ ...base, regions: [vision, { ...llm, stages }] })
    expect(takenPositions(differing)).toBeUndefined()
    expect(takenPositions(differing, 'any')?.uneven).toHaveLength(2)
    expect(takenPositions(buildProblem(sketch({ ranks: 2, microbatches: 2 })), 'any')).toBeUndefined()
  })
})
