import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { strategyOf } from '../../src/optimize/strategies.ts'
import type { Task } from '../../src/optimize/task.ts'
import type { Tick } from '../../src/schedule/measured.ts'
import { backend as cpsat } from '../../src/solvers/cpsat/backend.ts'
import { backend as glpk } from '../../src/solvers/glpk/backend.ts'
import { backend as highs } from '../../src/solvers/highs/backend.ts'
import { backendVersion } from '../../src/solvers/index.ts'
import { backend as jslp } from '../../src/solvers/jslp/backend.ts'
import { backend as z3 } from '../../src/solvers/z3/backend.ts'
import { exhaustive, KINDS, type Kind, optionsOf, tinyInstance } from '../support/exhaustive.ts'
import { allOf, anyOf } from '../support/smt-batches.ts'

const hasCpSat = (await backendVersion(nodeHost(), 'cpsat')) !== undefined

/** Instances of each kind; every third of them in tight memory, where the kind knows memory. */
const COUNT = 66
/** How many of them CP-SAT is asked as well. */
const CP_COUNT = 3
const TIME_LIMIT = 60_000

type Case = { readonly name: string; readonly task: Task; readonly truth: Tick | undefined; readonly longest: Tick }
type Solver = 'glpk' | 'highs' | 'jslp' | 'z3' | 'cpsat'

/** How many answers of each solver were compared with the enumerated optimum. */
const tally = Object.fromEntries(
  KINDS.map(kind => [kind, { cases: 0, limited: 0, infeasible: 0, glpk: 0, highs: 0, jslp: 0, z3: 0, cpsat: 0 }])
) as Record<Kind, Record<Solver | 'cases' | 'limited' | 'infeasible', number>>

function caseOf(kind: Kind, seed: number): Case {
  const measured = tinyInstance(seed, kind, seed % 3 === 2 && kind !== 'spill' ? 'memory' : 'latency')
  const { task } = strategyOf(measured, optionsOf(kind))
  const truth = exhaustive(measured, kind, task.longest + 1)
  const seen = tally[kind]
  seen.cases++
  if (truth === undefined) seen.infeasible++
  if (measured.capacity.some(limit => limit !== undefined)) seen.limited++
  return { name: `${kind} ${seed}`, task, truth, longest: task.longest }
}

async function integerSolversAgree(kind: Kind, { name, task, truth, longest }: Case): Promise<void> {
  if (!task.encodeMilp) return
  const { model, exact, boundTicks } = task.encodeMilp(truth === undefined ? longest : truth + 3)
  // The relaxation that jslp solves, and the claim that goes with it, are for owner maps.
  const solvers = { glpk, highs, ...(kind === 'spill' ? { jslp } : {}) }
  for (const [id, backend] of Object.entries(solvers)) {
    const outcome = await backend.solve({ model, timeLimitMs: TIME_LIMIT })
    if (id === 'jslp' && outcome.claimedBound === undefined) continue
    expect(outcome.stop, `${name} ${id}`).toBe('proved')
    const found = outcome.status === 'infeasible' ? undefined : boundTicks(outcome.claimedBound as number)
    if (exact && id !== 'jslp') expect(found === undefined ? found : found + 0, `${name} ${id}`).toBe(truth)
    else
      expect(found ?? Number.POSITIVE_INFINITY, `${name} ${id}`).toBeLessThanOrEqual(truth ?? Number.POSITIVE_INFINITY)
    if (exact) tally[kind][id as Solver]++
  }
}

/** All satisfiable at the optimum, none one tick below. */
async function z3Agrees(kind: Kind, cases: readonly Case[]): Promise<void> {
  const asked = cases.flatMap(({ task, truth, longest }) =>
    // A relaxation may hold below the truth.
    task.encodeDecision?.(longest).exact ? [{ truth, longest, encode: task.encodeDecision }] : []
  )
  if (asked.length === 0) return
  const at = asked.flatMap(({ encode, truth }) => (truth === undefined ? [] : [encode(truth).model]))
  const below = asked.map(({ encode, truth, longest }) => encode((truth ?? longest + 1) - 1).model)
  expect((await z3.solve({ model: allOf(at), timeLimitMs: TIME_LIMIT })).status).toBe('sat')
  const none = await z3.solve({ model: anyOf(below), timeLimitMs: TIME_LIMIT })
  expect(none.status, cases.map(({ name }) => name).join()).toBe('unsat')
  tally[kind].z3 += asked.length
}

async function cpSatAgrees(kind: Kind, { name, task, truth, longest }: Case): Promise<void> {
  if (!task.encodeCp) return
  const { model, boundTicks } = task.encodeCp(truth === undefined ? longest : truth + 3)
  const outcome = await cpsat.solve({ model, timeLimitMs: TIME_LIMIT })
  expect(outcome.stop, `${name} ${outcome.raw}`).toBe('proved')
  const found = outcome.status === 'infeasible' ? undefined : boundTicks(outcome.claimedBound as number)
  expect(found, name).toBe(truth)
  tally[kind].cpsat++
}

describe('enumeration and every solver that has a model of it agree', () => {
  it.each(KINDS)('%s', { timeout: 120_000 }, async kind => {
    const cases = range(COUNT).map(seed => caseOf(kind, seed))
    for (const one of cases) await integerSolversAgree(kind, one)
    for (const batch of range(COUNT / 11)) await z3Agrees(kind, cases.slice(11 * batch, 11 * batch + 11))
    if (hasCpSat) for (const one of cases.slice(0, CP_COUNT)) await cpSatAgrees(kind, one)
  })

  it('counted enough of each kind', () => {
    const said = JSON.stringify(tally)
    for (const kind of KINDS) {
      const { cases, limited, glpk, highs, z3 } = tally[kind]
      expect(cases, said).toBe(COUNT)
      if (kind !== 'spill') expect(limited, said).toBe(COUNT / 3)
      if (kind !== 'spill') expect(z3, said).toBeGreaterThanOrEqual(kind === 'reorder' ? 30 : COUNT)
      if (kind !== 'joint') expect(Math.min(glpk, highs), said).toBeGreaterThanOrEqual(kind === 'reorder' ? 10 : 40)
    }
    const answers = Object.values(tally).flatMap(({ glpk, highs, z3 }) => [glpk, highs, z3])
    expect(answers.reduce((total, count) => total + count)).toBeGreaterThanOrEqual(500)
    expect(tally.placement.infeasible + tally.owner.infeasible + tally.joint.infeasible).toBeGreaterThanOrEqual(4)
  })
})
