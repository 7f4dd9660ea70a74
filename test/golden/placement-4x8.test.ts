import { afterAll, describe, expect, it } from 'vitest'
import { encodePlacementMilp, encodePlacementSmt } from '../../src/encoding/index.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import { releaseSolvers, runBackend } from '../../src/solvers/index.ts'
import { sketch } from '../support/measured.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

/** 4x8, f = 10, b = 20, all transfers 1, frozen: encoder forward per microbatch, and the optimum proved here. */
const CASES: readonly { readonly encoder: number | readonly number[]; readonly optimum: number }[] = [
  { encoder: 6, optimum: 352 },
  { encoder: 15, optimum: 361 },
  { encoder: [10, 12, 60, 64, 11, 61, 66, 9], optimum: 384 },
  { encoder: [2, 25, 29, 25, 21, 27, 25, 26], optimum: 352 },
  { encoder: [4, 9, 18, 33, 21, 48, 37, 44], optimum: 357 },
  { encoder: [3, 30, 3, 31, 3, 32, 3, 33], optimum: 354 }
]

describe('placement at 4x8, f = 10, b = 20, transfers 1, frozen', () => {
  it.each(CASES)('encoder $encoder: $optimum', async ({ encoder, optimum }) => {
    const measured = sketch({ ranks: 4, microbatches: 8, encoder, lag: 1 })
    const problem = buildProblem(measured)
    const body = bodySequences(problem, bodyOrder(measured))
    const decide = async (makespan: number) => {
      const encoded = encodePlacementSmt(problem, body, makespan)
      const outcome = await runBackend(host, 'z3', { model: encoded.model, timeLimitMs: 50_000 })
      if (!outcome.values) return outcome.status
      const again = evaluate(problem, encoded.decode(outcome.values))
      return again.kind === 'schedule' && again.schedule.makespan <= makespan ? 'sat' : 'not what it said'
    }
    expect([await decide(optimum), await decide(optimum - 1)]).toEqual(['sat', 'unsat'])
    const encoded = encodePlacementMilp(problem, body, optimum + 2)
    const outcome = await runBackend(host, 'glpk', { model: encoded.model, timeLimitMs: 50_000 })
    expect(outcome.status).toBe('optimal')
    expect(encoded.boundTicks(outcome.claimedBound as number)).toBe(optimum)
    const again = evaluate(problem, encoded.decode(outcome.values as Float64Array))
    expect(again.kind === 'schedule' && again.schedule.makespan).toBe(optimum)
  })
})
