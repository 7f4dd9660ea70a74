import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { jointBounds } from '../../src/bounds/index.ts'
import { analyse } from '../../src/encoding/analysis.ts'
import { encodeJointSmt, encodeReorderSmt, takenPositions } from '../../src/encoding/index.ts'
import { freeBody, interchangeable } from '../../src/encoding/joint-smt.ts'
import { encodeDecision } from '../../src/encoding/placement-smt.ts'
import { positionsOf } from '../../src/encoding/positions.ts'
import { placementTask } from '../../src/optimize/tasks.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import type { Problem } from '../../src/schedule/problem.ts'
import { backend as z3 } from '../../src/solvers/z3/backend.ts'
import { bruteForceTransfers } from '../support/brute-force-transfers.ts'
import { seededRandom } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

/** A frozen encoder of uneven work, some microbatches without any, in front of an even backbone. */
function uneven(seed: number, ranks: number, microbatches: number): Measured {
  const random = seededRandom(seed)
  const encoder = range(microbatches).map(() => (random.chance(0.15) ? 0 : random.int(1, 9)))
  const limited = random.chance(0.5)
  const measured = sketch({
    ranks,
    microbatches,
    encoder,
    forward: random.int(1, 3),
    backward: random.int(1, 5),
    lag: random.int(0, 2),
    ...(limited ? { slab: { activation: 1 } } : {})
  })
  return limited ? { ...measured, capacity: range(ranks).map(() => random.int(1, microbatches) + 1) } : measured
}

/** The model that knows nothing of positions. */
function plainModel(problem: Problem, makespan: number) {
  const ascending = problem.ties.length === 0
  return encodeDecision(analyse(problem, freeBody(problem), makespan), interchangeable(problem), { ascending })
}

type Encode = (problem: Problem, makespan: number) => ReturnType<typeof encodeJointSmt>

async function holds(problem: Problem, encode: Encode, makespan: number): Promise<boolean> {
  const encoded = encode(problem, makespan)
  const outcome = await z3.solve({ model: encoded.model, timeLimitMs: 50_000 })
  expect(['sat', 'unsat']).toContain(outcome.status)
  if (outcome.values) expectLegal(problem, encoded, outcome.values, makespan)
  return outcome.status === 'sat'
}

/** Its own times keep every edge of the original, and nothing overlaps. */
function expectLegal(problem: Problem, encoded: ReturnType<Encode>, values: Float64Array, makespan: number): void {
  const start = encoded.starts?.(values) ?? new Float64Array()
  const order = encoded.decode(values)
  const rankOf = new Map(order.flatMap((sequence, rank) => sequence.map(event => [event, rank] as const)))
  const rank = (event: number) => rankOf.get(event) ?? problem.events[event].modes[0].rank
  const end = (event: number) =>
    start[event] + (problem.events[event].modes.find(mode => mode.rank === rank(event))?.duration ?? 0)
  for (const { from, to, lag } of problem.edges) {
    const ticks = lag < 0 ? 0 : problem.lags[lag][rank(from) * problem.ranks + rank(to)]
    expect(start[to]).toBeGreaterThanOrEqual(end(from) + ticks)
  }
  for (const sequence of order)
    for (const [place, event] of sequence.entries())
      expect(end(event)).toBeLessThanOrEqual(place + 1 < sequence.length ? start[sequence[place + 1]] : makespan)
}

async function optimumByPosition(problem: Problem): Promise<number> {
  const encode = encodeJointSmt
  let [low, high] = [jointBounds(problem)[0].ticks, jointBounds(problem)[0].ticks + 8]
  while (!(await holds(problem, encode, high))) [low, high] = [high + 1, 2 * high]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await holds(problem, encode, middle)) high = middle
    else low = middle + 1
  }
  return low
}

describe('positions of entry', () => {
  it('lose nothing: same optimum as by names, and as by brute force', async () => {
    const seen = { cases: 0, brute: 0, limited: 0 }
    for (const seed of range(18)) {
      const [ranks, microbatches] = seed % 3 === 0 ? [2, 2] : seed % 3 === 1 ? [2, 3] : [3, 3]
      const problem = buildProblem(uneven(seed, ranks, microbatches))
      if (!positionsOf(problem)) continue
      const byPosition = await optimumByPosition(problem)
      expect(await holds(problem, plainModel, byPosition), `seed ${seed}`).toBe(true)
      expect(await holds(problem, plainModel, byPosition - 1), `seed ${seed}`).toBe(false)
      seen.cases++
      if (problem.capacity.some(limit => limit !== undefined)) seen.limited++
      else if (microbatches === 2) {
        expect(byPosition, `seed ${seed}`).toBe(bruteForceTransfers(problem, freeBody(problem)))
        seen.brute++
      }
    }
    expect(seen.cases).toBeGreaterThanOrEqual(15)
    expect(seen.limited).toBeGreaterThanOrEqual(5)
    expect(seen.brute).toBeGreaterThanOrEqual(2)
  })

  it.each([
    ['a trained encoder', { encoder: [1, 2], encoderBackward: [2, 4], trainable: true }],
    ['no encoder', {}]
  ] as const)('are not used for %s', (_, what) => {
    expect(positionsOf(buildProblem(sketch({ ranks: 2, microbatches: 2, ...what })))).toBeUndefined()
  })

  it('are not used where the body of one microbatch is longer, or outputs wait in limited memory', () => {
    const base = sketch({ ranks: 2, microbatches: 2, encoder: [1, 2] })
    const [vision, llm] = base.regions
    const stages = llm.stages.map(stage => stage.map(slab => ({ ...slab, forward: [1, 2] })))
    expect(positionsOf(buildProblem({ ...base, regions: [vision, { ...llm, stages }] }))).toBeUndefined()
    const waiting = vision.stages.map(stage => stage.map(slab => ({ ...slab, output: 1 })))
    const outputs = { ...base, regions: [{ ...vision, stages: waiting }, llm] }
    expect(positionsOf(buildProblem(outputs))).toBeDefined()
    expect(positionsOf(buildProblem({ ...outputs, capacity: [9, 9] }))).toBeUndefined()
  })

  it('let alike tasks of unlike microbatches run in any order: who is needed first is open', async () => {
    const two = sketch({ ranks: 2, microbatches: 2, encoder: [12, 6], forward: 2, backward: 3, lag: 3 })
    const measured = { ...two, items: [[1, 1], [1]] }
    const { problem, body } = placementTask(measured)
    const [counted, taken] = [positionsOf(problem), takenPositions(problem)]
    if (!counted || !taken) throw new Error('no positions')
    for (const positions of [counted, taken])
      for (const [makespan, status] of [
        [30, 'sat'],
        [29, 'unsat']
      ] as const) {
        const { model } = encodeReorderSmt(positions, body, makespan)
        expect(await z3.solve({ model, timeLimitMs: 20_000 })).toMatchObject({ status })
      }
  })
})
