import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { placementBounds } from '../../src/bounds/index.ts'
import { encodePlacementMilp, encodePlacementSmt } from '../../src/encoding/index.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Tick } from '../../src/schedule/measured.ts'
import { fitsMemory } from '../../src/schedule/memory.ts'
import { backend as glpk } from '../../src/solvers/glpk/backend.ts'
import { backend as z3 } from '../../src/solvers/z3/backend.ts'
import { bruteForcePlacement } from '../support/brute-force.ts'
import { type SmallKind, type SmallPlacement, smallPlacement } from '../support/small-placements.ts'
import { allOf, anyOf, partValues } from '../support/smt-batches.ts'

const TIME_LIMIT = 60_000
const BATCH = 15

/** Seeds of memory instances whose optimum memory raises, found by a scan; the test counts again that it does. */
const BOUND_BY_MEMORY = [
  28, 32, 33, 86, 91, 111, 118, 121, 131, 137, 167, 185, 197, 223, 226, 243, 261, 268, 275, 277, 321, 331, 335, 352,
  354, 412, 418, 440, 458, 489, 514, 552, 557, 570, 571, 592, 595, 605, 622, 633, 638, 657, 661, 674, 678
]

const SEEDS: Readonly<Record<SmallKind, readonly number[]>> = {
  frozen: range(105),
  trainable: range(75),
  memory: [...BOUND_BY_MEMORY, ...range(75)],
  outputs: range(15),
  parts: range(90)
}

/** An instance with what brute force and GLPK say; `exact`: the slot model claims to be the whole problem. */
type Answered = { readonly one: SmallPlacement; readonly truth: Tick | undefined; readonly exact: boolean }

const tally = { all: 0, threeWays: 0, parts: 0, trainable: 0, byMemory: 0, infeasible: 0, aboveBounds: 0 }

/** Brute force against GLPK: equal where the slot model is exact, else never below. */
async function bruteForceAndGlpk(one: SmallPlacement): Promise<Answered> {
  const { problem, body, longest } = one
  const truth = bruteForcePlacement(problem, body, longest)
  const horizon = truth === undefined ? longest : truth + (problem.events.length % 5)
  const { model, exact, boundTicks, decode } = encodePlacementMilp(problem, body, horizon)
  const outcome = await glpk.solve({ model, timeLimitMs: TIME_LIMIT })
  expect(outcome.stop, one.name).toBe('proved')
  const ticks = outcome.status === 'infeasible' ? undefined : boundTicks(outcome.claimedBound as number)
  if (!exact) {
    expect(ticks ?? Number.POSITIVE_INFINITY, one.name).toBeLessThanOrEqual(truth ?? Number.POSITIVE_INFINITY)
    return { one, truth, exact }
  }
  expect(ticks, one.name).toBe(truth)
  if (outcome.values) expectLegal(one, decode(outcome.values), truth as Tick)
  return { one, truth, exact }
}

/** The order lasts at most so long and fits memory, in the given times or left-shifted. */
function expectLegal(
  { problem, name }: SmallPlacement,
  order: readonly (readonly number[])[],
  most: Tick,
  start?: Float64Array
): void {
  const again = evaluate(problem, order)
  expect(again.kind, name).toBe('schedule')
  if (again.kind !== 'schedule') return
  expect(again.schedule.makespan, name).toBeLessThanOrEqual(most)
  expect(fitsMemory(problem, start ? { ...again.schedule, start } : again.schedule), name).toBe(true)
}

/** Z3 on a batch: together satisfiable at every optimum, and none of them satisfiable one tick below. */
async function z3Agrees(batch: readonly Answered[]): Promise<void> {
  const feasible = batch.flatMap(({ one, truth }) => (truth === undefined ? [] : [{ one, truth }]))
  const encoded = feasible.map(({ one, truth }) => encodePlacementSmt(one.problem, one.body, truth))
  const models = encoded.map(({ model }) => model)
  const sat = await z3.solve({ model: allOf(models), timeLimitMs: TIME_LIMIT })
  expect(sat.status).toBe('sat')
  for (const [i, { decode, starts }] of encoded.entries()) {
    const values = partValues(models, i, sat.values as Float64Array)
    expectLegal(feasible[i].one, decode(values), feasible[i].truth, starts?.(values))
  }
  const below = batch.map(({ one, truth }) =>
    encodePlacementSmt(one.problem, one.body, truth === undefined ? one.longest : truth - 1)
  )
  const unsat = await z3.solve({ model: anyOf(below.map(({ model }) => model)), timeLimitMs: TIME_LIMIT })
  expect(unsat.status, batch.map(({ one }) => one.name).join()).toBe('unsat')
}

function count({ one, truth, exact }: Answered): void {
  const { problem, body } = one
  tally.all++
  if (!exact) return
  tally.threeWays++
  if (one.measured.chunks || one.measured.items) tally.parts++
  if (one.trainable) tally.trainable++
  if (truth === undefined) {
    tally.infeasible++
    return
  }
  const bounds = placementBounds(problem, body).map(bound => bound.ticks)
  expect(Math.max(0, ...bounds), one.name).toBeLessThanOrEqual(truth)
  if (Math.max(0, ...bounds) < truth) tally.aboveBounds++
  if (problem.capacity.every(limit => limit === undefined)) return
  const roomy = { ...problem, capacity: problem.capacity.map(() => undefined) }
  if (bruteForcePlacement(roomy, body, truth) !== undefined) tally.byMemory++
}

describe('placement optimum: brute force = GLPK = Z3', () => {
  const batches = (Object.keys(SEEDS) as SmallKind[]).flatMap(kind =>
    range(SEEDS[kind].length / BATCH).map(batch => ({
      kind,
      seeds: SEEDS[kind].slice(batch * BATCH, (batch + 1) * BATCH)
    }))
  )

  it.each(batches)('$kind, seeds from $seeds.0', async ({ kind, seeds }) => {
    const answered: Answered[] = []
    for (const seed of seeds) answered.push(await bruteForceAndGlpk(smallPlacement(kind, seed)))
    await z3Agrees(answered)
    for (const one of answered) count(one)
  })

  it('counted enough of each kind', () => {
    expect(tally.threeWays, JSON.stringify(tally)).toBeGreaterThanOrEqual(300)
    expect(tally.parts).toBeGreaterThanOrEqual(40)
    expect(tally.trainable).toBeGreaterThanOrEqual(60)
    expect(tally.byMemory).toBeGreaterThanOrEqual(40)
    expect(tally.infeasible).toBeGreaterThanOrEqual(20)
    expect(tally.aboveBounds).toBeGreaterThanOrEqual(60)
  })
})
