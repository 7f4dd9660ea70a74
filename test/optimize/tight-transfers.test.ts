import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import { strategyOf } from '../../src/optimize/strategies.ts'
import { DEFAULT_OPTIONS } from '../../src/optimize/types.ts'
import { proveOptimal } from '../../src/prove/optimal.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { toDocument } from '../../src/schedule/document.ts'
import type { BackwardCost, CommunicationModel, Measured, Tick } from '../../src/schedule/measured.ts'
import { peakBytes } from '../../src/schedule/memory.ts'
import { BACKENDS, releaseSolvers } from '../../src/solvers/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { evenBody, exhaustive, KINDS, type Kind, optionsOf, withSlabs } from '../support/exhaustive.ts'
import { generateMeasured, seededRandom } from '../support/generate.ts'
import { searchByTicks } from '../support/tick-search.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

/** CP-SAT takes seconds to load. */
const backends = BACKENDS.filter(({ id }) => id !== 'cpsat')

/** Even seeds have frozen encoders, odd ones trained; those that take enumeration or solvers long are left out. */
const SEEDS: Readonly<Record<Kind, readonly number[]>> = {
  placement: [0, 1, 5, 6],
  owner: [3, 5],
  spill: [3, 5],
  reorder: [0, 5],
  joint: [0, 1, 3, 5]
}
const MODELS = ['link', 'blocking'] as const

/**
 * 2x2, 2x3 and 3x2 with short events and outputs that weigh as much as activations. One rank has less room than the
 * shortest schedule without limits takes there, so that its limit binds.
 */
function tight(seed: number, kind: Kind, model: CommunicationModel): { unlimited: Measured; limited: Measured } {
  const random = seededRandom(seed * 31 + 7)
  const small = [[2, 2], [3, 2], ...(model === 'link' || seed % 2 === 0 ? [[2, 3]] : [])]
  const [ranks, microbatches] = kind === 'joint' ? [2, 2] : random.pick(small)
  const drawn = generateMeasured(seed, {
    ranks,
    microbatches,
    chunks: 1,
    source: 'transposed',
    trainableSource: seed % 2 === 1,
    split: kind === 'joint' && seed % 4 < 2,
    zeros: false
  })
  const short = withSlabs(drawn, slab => ({
    ...slab,
    forward: slab.forward.map(few),
    backward: fewOf(slab.backward),
    activation: slab.origin === 'llm' ? slab.activation % 3 : 2 + slab.activation,
    output: 2 + slab.output
  }))
  const lags = { send: random.int(0, 2), gather: random.int(1, 3), scatter: random.int(1, 2) }
  const reduce = new Map([['llm', random.int(0, 1)]])
  const communication = { model, ...lags, broadcast: random.pick([0, 0, 2]), reduce }
  // Where bodies differ between microbatches, no exact model knows of their order.
  const unlimited = { ...(kind === 'reorder' ? evenBody(short) : short), communication }
  const roomy = shortest(unlimited)
  if (!roomy) throw new Error('something always fits without limits')
  const rank = random.int(0, ranks - 1)
  const capacity = peakBytes(roomy.problem, roomy.schedule).map((peak, other) =>
    other === rank ? peak - random.int(1, 5) : peak + random.int(0, 6)
  )
  return { unlimited, limited: { ...unlimited, capacity } }
}

const few = (ticks: Tick) => 1 + (ticks % 3)

function fewOf(cost: BackwardCost): BackwardCost {
  return cost.kind === 'full'
    ? { ...cost, full: cost.full.map(few) }
    : { ...cost, input: cost.input.map(few), weight: cost.weight.map(few) }
}

/** The shortest schedule of `placement` by enumeration. */
function shortest(measured: Measured) {
  const problem = buildProblem(measured)
  const schedule = searchByTicks(problem, bodySequences(problem, bodyOrder(measured)))
  return schedule && { problem, schedule, document: toDocument(problem, schedule) }
}

/** Instances whose enumerated schedules the checker is shown. */
const CHECKED = [0, 1, 3, 5, 6, 8, 9, 10, 11]

const tally = { cases: 0, binding: 0, infeasible: 0, agreed: 0, rechecked: 0 }

describe.each(MODELS)('tight memory under %s, against enumeration', model => {
  it.each(KINDS)('%s', { timeout: 120_000 }, async kind => {
    for (const seed of SEEDS[kind]) {
      const { unlimited, limited } = tight(seed, kind, model)
      const truth = exhaustive(limited, kind, 10_000)
      const free = exhaustive(unlimited, kind, 10_000)
      const least = truth ?? Number.POSITIVE_INFINITY
      tally.cases++
      if (truth === undefined) tally.infeasible++
      else if (truth > (free ?? 0)) tally.binding++

      const options = { ...optionsOf(kind), backends }
      const strategy = strategyOf(limited, { ...DEFAULT_OPTIONS, ...options })
      if (strategy.memory()) expect(truth, `seed ${seed}`).toBeUndefined()
      for (const { name, ticks } of strategy.bounds(true))
        expect(ticks, `seed ${seed}, ${name}`).toBeLessThanOrEqual(least)

      const { answer } = await optimize(limited, { ...options, solver: 'z3', timeLimitMs: 20_000 }, host)
      expect(answer.certificate.lowerBound, `seed ${seed}`).toBeLessThanOrEqual(least)
      if (answer.status === 'infeasible') expect(truth, `seed ${seed}`).toBeUndefined()
      if ('value' in answer) expect(answer.value, `seed ${seed}`).toBeGreaterThanOrEqual(least)
      if (answer.status === 'optimal') {
        expect(answer.value, `seed ${seed}`).toBe(truth)
        const limits = { host, timeLimitMs: 20_000, objective: options.objective }
        const proof = await proveOptimal(limited, answer.point.document, answer.certificate, limits)
        expect(proof.document.optimal?.status, `seed ${seed}`).not.toBe('refuted')
        if (proof.document.optimal?.status === 'proved') tally.rechecked++
      }
      if (answer.status === 'infeasible' || answer.status === 'optimal') tally.agreed++
    }
  })

  it('the checker takes the shortest schedule within memory, and says MEMORY of the shortest one without', () => {
    let [within, beyond] = [0, 0]
    for (const seed of CHECKED) {
      const { unlimited, limited } = tight(seed, 'placement', model)
      const [fitting, roomy] = [shortest(limited), shortest(unlimited)]
      const bodyFixed = bodyOrder(limited)
      if (fitting) {
        within++
        expect(verify(limited, fitting.document, { bodyFixed }), `seed ${seed}`).toMatchObject({ legal: true })
      }
      if (!roomy) throw new Error('something always fits without limits')
      expect(verify(unlimited, roomy.document, { bodyFixed }), `seed ${seed}`).toMatchObject({ legal: true })
      const verdict = verify(limited, roomy.document, { bodyFixed })
      const codes = verdict.legal ? [] : verdict.violations.map(({ code }) => code)
      expect(new Set(codes), `seed ${seed}`).toEqual(new Set(['MEMORY']))
      beyond++
    }
    expect(within).toBeGreaterThanOrEqual(3)
    expect(beyond).toBe(CHECKED.length)
  })
})

it('counted enough', () => {
  expect(tally.cases).toBe(MODELS.length * Object.values(SEEDS).flat().length)
  expect(tally.binding, JSON.stringify(tally)).toBeGreaterThanOrEqual(9)
  expect(tally.infeasible, JSON.stringify(tally)).toBeGreaterThanOrEqual(12)
  expect(tally.agreed, JSON.stringify(tally)).toBeGreaterThanOrEqual(20)
  expect(tally.rechecked, JSON.stringify(tally)).toBeGreaterThanOrEqual(6)
})
