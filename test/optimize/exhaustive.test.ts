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
const SEEDS = [0, 2, 3]

const tally = { cases: 0, found: 0, proved: 0, infeasible: 0 }
const provedOf = new Map<string, number>()

/** Where no exact model helps (bodies that differ by microbatch, in tight memory), none need wait. */
function timeOf(kind: Kind, setting: Setting, seed: number): number {
  return kind === 'reorder' && setting === 'memory' && seed % 2 === 1 ? 200 : 8_000
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
        const pair = `${kind}, ${setting}`
        provedOf.set(pair, (provedOf.get(pair) ?? 0) + 1)
      }
      if (answer.value === truth) tally.found++
    }
  })

  it('counted enough', () => {
    expect(tally.cases).toBe(PAIRS.length * SEEDS.length)
    expect(tally.found, JSON.stringify(tally)).toBeGreaterThanOrEqual(40)
    expect(tally.infeasible).toBeGreaterThanOrEqual(1)
    // In tight memory an instance may be infeasible instead.
    for (const { kind, setting } of PAIRS)
      if (setting !== 'memory')
        expect(provedOf.get(`${kind}, ${setting}`), `${kind}, ${setting}`).toBeGreaterThanOrEqual(2)
  })
})
