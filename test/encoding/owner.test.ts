import { describe, expect, it } from 'vitest'
import { encodeOwnerMilp, encodeOwnerSmt, encodePlacementMilp } from '../../src/encoding/index.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import { backend as highs } from '../../src/solvers/highs/backend.ts'
import { backend as z3 } from '../../src/solvers/z3/backend.ts'
import { generateMeasured } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

/** One rank, whose body has a long reduction: E 3, 5, F 10, B 20, EB 10, 7. */
function oneRank(encoderBackward: 'owner' | 'first-rank') {
  const reduce = new Map([['llm', 40]])
  const communication = { model: 'latency', send: 1, gather: 1, scatter: 1, broadcast: 0, reduce } as const
  const measured = sketch({
    ranks: 1,
    microbatches: 2,
    encoder: [3, 5],
    encoderBackward: [10, 7],
    trainable: true,
    change: { communication, encoderBackward }
  })
  const problem = buildProblem(measured)
  return { problem, body: bodySequences(problem, bodyOrder(measured)) }
}

describe('the shape of owner maps on one rank', () => {
  it.each([
    { encoderBackward: 'owner', optimum: 8 + 60 + 40, why: 'backwards of the encoder run after the body' },
    { encoderBackward: 'first-rank', optimum: 8 + 60 + 13 + 40, why: 'that of the first before the body ends' }
  ] as const)('$encoderBackward: $why, and $optimum is the optimum', async ({ encoderBackward, optimum }) => {
    const { problem, body } = oneRank(encoderBackward)
    const asked = async (makespan: number) =>
      (await z3.solve({ model: encodeOwnerSmt(problem, body, makespan).model, timeLimitMs: 20_000 })).status
    expect([await asked(optimum), await asked(optimum - 1)]).toEqual(['sat', 'unsat'])
    const encoded = encodeOwnerMilp(problem, body, optimum)
    const outcome = await highs.solve({ model: encoded.model, timeLimitMs: 20_000 })
    expect(outcome).toMatchObject({ status: 'optimal' })
    expect(encoded.boundTicks(outcome.claimedBound as number)).toBe(optimum)
    const again = evaluate(problem, encoded.decode(outcome.values as Float64Array))
    expect(again.kind === 'schedule' && again.schedule.makespan).toBe(optimum)
  })
})

describe('the slot model without a body', () => {
  it('calls itself a relaxation where encoder backwards wait for encodes', () => {
    const exact = ([true, false] as const).map(trainableSource => {
      const measured = generateMeasured(3, { ranks: 2, source: 'only', trainableSource, uniform: true, zeros: false })
      const problem = buildProblem(measured)
      return encodePlacementMilp(problem, bodySequences(problem, bodyOrder(measured)), 10_000).exact
    })
    expect(exact).toEqual([false, true])
  })
})
