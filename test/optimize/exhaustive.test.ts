import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import { BACKENDS, releaseSolvers } from '../../src/solvers/index.ts'
import { exhaustive, KINDS, type Kind, optionsOf, type Setting, tinyInstance } from '../support/exhaustive.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

/** CP-SAT takes seconds to load; it is compared elsewhere. */
const backends = BACKENDS.filter(({ id }) => id !== 'cpsat')

const SETTINGS: readonly Setting[] = ['latency', 'link', 'blocking', 'memory']
const PAIRS = KINDS.flatMap(kind =>
  SETTINGS.filter(setting => kind !== 'spill' || setting !== 'memory').map(setting => ({ kind, setting }))
)
const SEEDS = [0, 3, 4]

const tally = { cases: 0, found: 0, proved: 0, infeasible: 0 }
const provedOf = new Map<Kind, number>()

/** Where no exact model helps (blocking transfers with a free body, bodies that differ by microbatch), none need wait. */
function timeOf(kind: Kind, setting: Setting, seed: number): number {
  const open =
    kind === 'reorder' ? setting === 'blocking' || seed % 2 === 1 : kind === 'joint' && setting === 'blocking'
  return open ? 200 : 4_000
}

describe('the tool against enumeration', () => {
  it.each(PAIRS)('$kind, $setting', { timeout: 60_000 }, async ({ kind, setting }) => {
    for (const seed of SEEDS) {
      const measured = tinyInstance(seed, kind, setting)
      const options = { ...optionsOf(kind), timeLimitMs: timeOf(kind, setting, seed), backends }
      const { answer } = await optimize(measured, options, host)
      const truth = exhaustive(measured, kind, 'value' in answer ? answer.value + 1 : 10_000)
      tally.cases++
      if (answer.status === 'infeasible') {
        expect(truth, `seed ${seed}`).toBeUndefined()
        tally.infeasible++
      }
      expect(answer.certificate.lowerBound, `seed ${seed}`).toBeLessThanOrEqual(truth ?? Number.POSITIVE_INFINITY)
      if (!('value' in answer)) continue
      expect(truth, `seed ${seed}`).toBeLessThanOrEqual(answer.value)
      if (answer.status === 'optimal') {
        expect(answer.value, `seed ${seed}`).toBe(truth)
        tally.proved++
        provedOf.set(kind, (provedOf.get(kind) ?? 0) + 1)
      }
      if (answer.value === truth) tally.found++
    }
  })

  it('counted enough', () => {
    expect(tally.cases).toBe(PAIRS.length * SEEDS.length)
    expect(tally.found, JSON.stringify(tally)).toBeGreaterThanOrEqual(40)
    expect(tally.infeasible).toBeGreaterThanOrEqual(1)
    for (const kind of KINDS) expect(provedOf.get(kind), kind).toBeGreaterThanOrEqual(3)
  })
})
