import { afterAll, describe, expect, it } from 'vitest'
import { analyse } from '../../src/encoding/analysis.ts'
import { freeBody, interchangeable } from '../../src/encoding/joint-smt.ts'
import { encodeDecision } from '../../src/encoding/placement-smt.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { releaseSolvers, runBackend } from '../../src/solvers/index.ts'
import { sketch } from '../support/measured.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

/** Split backwards on two ranks, memory for `room` bytes where a forward holds 3, one of them until the weight part ends. */
function instance(room: number) {
  const base = sketch({ ranks: 2, microbatches: 3, forward: 2, lag: 1 })
  const list = (ticks: number) => [ticks, ticks, ticks]
  const backward = { kind: 'split', input: list(3), weight: list(2), weightShare: 0.4 } as const
  const [region] = base.regions
  const stages = region.stages.map(([slab]) => [{ ...slab, backward, activation: 3 }])
  return buildProblem({ ...base, regions: [{ ...region, stages }], capacity: [room, room] }, { split: true })
}

describe('in-flight group', () => {
  it('decides like the memory group, at every horizon around the optimum', async () => {
    const answers = { sat: 0, unsat: 0 }
    for (const room of [3, 4, 5, 6, 9]) {
      const problem = instance(room)
      for (let makespan = 22; makespan <= 40; makespan += 2) {
        const [counted, summed] = await Promise.all(
          [true, false].map(ascending => {
            const analysis = analyse(problem, freeBody(problem), makespan)
            const { model } = encodeDecision(analysis, interchangeable(problem), { ascending })
            return runBackend(host, 'z3', { model, timeLimitMs: 60_000 })
          })
        )
        expect(counted.status, `room ${room}, makespan ${makespan}`).toBe(summed.status)
        if (counted.status === 'sat' || counted.status === 'unsat') answers[counted.status]++
      }
    }
    expect(Math.min(answers.sat, answers.unsat)).toBeGreaterThanOrEqual(10)
  })
})
