import { describe, expect, it } from 'vitest'
import { encodeJointCp, encodePlacementCp } from '../../src/encoding/index.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import { fitsMemory } from '../../src/schedule/memory.ts'
import { backendVersion, runBackend } from '../../src/solvers/index.ts'
import { bruteForcePlacement } from '../support/brute-force.ts'
import { sketch } from '../support/measured.ts'
import { type SmallKind, smallPlacement } from '../support/small-placements.ts'

const host = nodeHost()
const hasCpSat = (await backendVersion(host, 'cpsat')) !== undefined
const hasMiniZinc = (await backendVersion(host, 'native:minizinc')) !== undefined

/** The optimum that a solver finds on the interval model, its point timed and checked again; undefined for infeasible. */
async function optimum(solver: string, kind: SmallKind, seed: number): Promise<{ found?: number; truth?: number }> {
  const { problem, body, longest } = smallPlacement(kind, seed)
  const truth = bruteForcePlacement(problem, body, longest)
  const encoded = encodePlacementCp(problem, body, truth === undefined ? longest : truth + 3)
  const outcome = await runBackend(host, solver, { model: encoded.model, timeLimitMs: 50_000 })
  expect(outcome.stop, outcome.raw).toBe('proved')
  if (!outcome.values || !encoded.starts) return truth === undefined ? {} : { truth }
  const again = evaluate(problem, encoded.decode(outcome.values))
  expect(again.kind).toBe('schedule')
  if (again.kind === 'schedule')
    expect(fitsMemory(problem, { ...again.schedule, start: encoded.starts(outcome.values) })).toBe(true)
  const found = encoded.boundTicks(outcome.claimedBound as number)
  return { ...(found === undefined ? {} : { found }), ...(truth === undefined ? {} : { truth }) }
}

const CASES: readonly (readonly [SmallKind, number])[] = [
  ['frozen', 3],
  ['trainable', 6],
  ['memory', 28],
  ['outputs', 2]
]

describe('placement as intervals', () => {
  it.skipIf(!hasCpSat).each(CASES.slice(2))('CP-SAT: %s %i is the brute-force optimum', async (kind, seed) => {
    const { found, truth } = await optimum('cpsat', kind, seed)
    expect(found).toBe(truth)
  })

  const more = CASES.flatMap(([kind, seed]) => [0, 1, 2].map(step => [kind, seed + step] as const))
  it.skipIf(!hasMiniZinc).each(more)('MiniZinc: %s %i is the brute-force optimum', async (kind, seed) => {
    const { found, truth } = await optimum('native:minizinc', kind, seed)
    expect(found).toBe(truth)
  })
})

describe('joint as intervals', () => {
  it.skipIf(!hasCpSat)('CP-SAT: caps 2, 2, 1, four microbatches: 21', async () => {
    const sizes = { ranks: 3, microbatches: 4, forward: 1, backward: 2, slab: { activation: 1 } }
    const problem = buildProblem(sketch({ ...sizes, change: { capacity: [2, 2, 1] } }))
    const encoded = encodeJointCp(problem, 30)
    const outcome = await runBackend(host, 'cpsat', { model: encoded.model, timeLimitMs: 55_000 })
    expect(outcome.status).toBe('optimal')
    expect(encoded.boundTicks(outcome.claimedBound as number)).toBe(21)
    const again = evaluate(problem, encoded.decode(outcome.values as Float64Array))
    expect(again.kind === 'schedule' && again.schedule.makespan).toBe(21)
  })
})
