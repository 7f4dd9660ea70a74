import { afterAll, describe, expect, it } from 'vitest'
import type { Cp, Milp } from '../../src/encoding/model/types.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { BACKENDS, backendVersion, releaseSolvers, runBackend } from '../../src/solvers/index.ts'
import { seededRandom } from '../support/generate.ts'
import { CASES, wrongOutcome } from './cases.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

const STARTING = BACKENDS.filter(({ capabilities }) => capabilities.warmStart)

/** A market split: four equations over 30 binaries, which nobody solves at once, with a solution that is known. */
function marketSplit(): { readonly point: Float64Array; readonly milp: Milp; readonly cp: Cp } {
  const random = seededRandom(5)
  const point = Float64Array.from({ length: 30 }, () => random.int(0, 1))
  const rows = Array.from({ length: 4 }, () => {
    const terms = Array.from(point, (_, x) => [x, random.int(0, 99)] as const)
    const total = terms.reduce((sum, [x, c]) => sum + c * point[x], 0)
    return { terms, lower: total, upper: total }
  })
  const objective = Array.from(point, (_, x) => [x, 1] as const)
  const binary = { lower: 0, upper: 1 }
  const variables = Array.from(point, () => binary)
  const integers = variables.map(bounds => ({ ...bounds, integer: true }))
  return {
    point,
    milp: { kind: 'milp', variables: integers, rows, objective },
    cp: {
      kind: 'cp',
      variables,
      intervals: [],
      constraints: rows.map(row => ({ kind: 'linear', ...row })),
      objective
    }
  }
}

const { point, milp, cp } = marketSplit()

describe.each(STARTING)('$id', ({ id, install, capabilities }) => {
  const model = capabilities.models.includes('milp') ? milp : cp
  const isAbsent = async () => install !== undefined && (await backendVersion(host, id)) === undefined

  it('starts from a hint: it has a point at once that it does not find by itself', async ({ skip }) => {
    if (await isAbsent()) return skip()
    const request = { model, timeLimitMs: 30_000, stepLimit: 1_000, threads: 1, seed: 1 }
    const cold = await runBackend(host, id, request)
    const warm = await runBackend(host, id, { ...request, hint: point })
    expect(cold.values).toBeUndefined()
    expect(warm.status).toBe('feasible')
    const ones = (values: Float64Array = new Float64Array()) => values.reduce((sum, value) => sum + value, 0)
    expect(ones(warm.values)).toBeLessThanOrEqual(ones(point))
  })

  it('is not hurt by a hint that is no point of the model', async ({ skip }) => {
    if (await isAbsent()) return skip()
    const one = CASES.find(({ model: { kind }, expected }) => kind === model.kind && expected.kind === 'optimum')
    if (!one) throw new Error('no case')
    const size = 'variables' in one.model ? one.model.variables.length : 0
    for (const hint of [[1], new Float64Array(size).fill(0.5)]) {
      const outcome = await runBackend(host, id, { model: one.model, timeLimitMs: 30_000, seed: 1, hint })
      expect(wrongOutcome(one, outcome)).toBeUndefined()
    }
  })
})

it('several backends start from hints', () => {
  expect(STARTING.map(({ id }) => id)).toEqual(expect.arrayContaining(['highs', 'cpsat']))
})
