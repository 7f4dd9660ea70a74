import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { type ClosedForm, closedForm, encoderLoad, evaluateBackbone, spills } from '../../src/schedule/closed-form.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { bruteForcePlacement } from '../support/brute-force.ts'
import { generateMeasured, seededRandom } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const CASES = 500

/** The order of a transpose family with its closed form. */
function transposed(measured: Measured, id = 'transpose-full') {
  const order = familyById(id)?.apply(measured)
  if (order?.kind !== 'order') throw new Error(`${id} does not apply`)
  const form = closedForm(order.problem, order.sequences)
  if (!form) throw new Error('no backbone')
  const evaluation = evaluate(order.problem, order.sequences)
  if (evaluation.kind !== 'schedule') throw new Error('cycle')
  return { ...order, form, makespan: evaluation.schedule.makespan }
}

/** Why a form differs from the paper's, read off its parts anew. */
function reason({ absorbed, arrival, drain }: ClosedForm, spill: readonly number[]): string {
  const most = Math.max(arrival, drain, absorbed)
  if (most > 0)
    return [['arrival', arrival] as const, ['drain', drain] as const, ['absorbed', absorbed] as const].filter(
      ([, t]) => t === most
    )[0][0]
  return Math.max(...spill) > 0 ? 'spill' : 'none'
}

describe('laws of the closed form', () => {
  // transpose-min encodes inside the first rank's body, so a path may pass a prefix and those too: absorbed has no sign.
  it.each(['transpose-full', 'transpose-greedy'])(
    'exact = paper - absorbed + arrival + drain with its signs (%s)',
    id => {
      const seen = { absorbed: 0, arrival: 0, drain: 0, plain: 0 }
      for (let seed = 0; seed < CASES; seed++) {
        const { form, makespan, problem, sequences } = transposed(generateMeasured(seed, { source: 'transposed' }), id)
        const { paper, exact, absorbed, arrival, drain, binding } = form
        expect(exact).toBe(makespan)
        expect(paper - absorbed + arrival + drain).toBe(exact)
        expect(Math.min(absorbed, arrival, drain)).toBeGreaterThanOrEqual(0)
        const slack = evaluateBackbone(problem, sequences)?.warmupSlack ?? []
        const spill = spills(encoderLoad(problem, sequences), slack)
        expect(binding.kind).toBe(reason(form, spill))
        if (binding.kind === 'spill') expect(spill[binding.rank]).toBe(Math.max(...spill))
        for (const part of ['absorbed', 'arrival', 'drain'] as const) seen[part] += Number(form[part] > 0)
        seen.plain += Number(binding.kind === 'spill' || binding.kind === 'none')
      }
      expect(Math.min(seen.arrival, seen.drain)).toBeGreaterThan(50)
      expect(seen.absorbed).toBeGreaterThan(10)
    }
  )

  it('paper == exact where nothing is absorbed, late or draining: frozen, uniform, short encodes', () => {
    for (let seed = 0; seed < CASES; seed++) {
      const random = seededRandom(seed)
      const [ranks, microbatches] = [random.int(1, 5), random.int(1, 7)]
      const [forward, backward] = [random.int(5, 12), random.int(5, 24)]
      const first = random.int(1, 40)
      // Rank 0 encodes most, so that it alone spills and no other rank or arrival binds; lag 0.
      const encoder = range(microbatches).map(m => (m % Math.min(ranks, microbatches) === 0 ? first : 1))
      const { form } = transposed(sketch({ ranks, microbatches, encoder, forward, backward }))
      expect([form.absorbed, form.arrival, form.drain]).toEqual([0, 0, 0])
      expect(form.paper).toBe(form.exact)
      expect(form.binding).toEqual({ kind: 'spill', rank: 0 })
    }
  })

  it('names the binding reason in regimes made for it', () => {
    const near = sketch({ ranks: 3, microbatches: 3, encoder: 1, forward: 10, backward: 20 })
    const arrival = { ...near, communication: { ...near.communication, gather: 90 } }
    expect(transposed(arrival).form.binding).toEqual({ kind: 'arrival' })
    const drain = sketch({ ranks: 2, microbatches: 4, encoder: 1, encoderBackward: 50, trainable: true })
    expect(transposed(drain).form.binding).toEqual({ kind: 'drain' })
    const base = sketch({ ranks: 2, microbatches: 2, encoder: [1, 40], forward: 5, backward: 5 })
    const [fast, slow] = base.regions[1].stages
    const scaled = slow.map(slab => ({
      ...slab,
      forward: slab.forward.map(() => 1),
      backward: { kind: 'full' as const, full: [1, 1] }
    }))
    const regions = [base.regions[0], { ...base.regions[1], stages: [fast, scaled] }]
    const form = transposed({ ...base, regions }).form
    expect(form.paper - form.absorbed + form.arrival + form.drain).toBe(form.exact)
  })

  it('the placement optimum is at most exact wherever memory allows the derived order', () => {
    let strict = 0
    for (let seed = 0; seed < CASES; seed++) {
      const measured = generateMeasured(seed, {
        source: 'transposed',
        ranks: 1 + (seed % 2),
        microbatches: 1 + (seed % 3),
        chunks: 1,
        bytes: false,
        trainableSource: seed % 4 === 3 && seed % 3 < 2
      })
      const { problem, form } = transposed(measured)
      const body = bodySequences(problem, bodyOrder(measured))
      const optimum = bruteForcePlacement(problem, body, form.exact + 1)
      expect(optimum).toBeDefined()
      expect(optimum).toBeLessThanOrEqual(form.exact)
      strict += Number((optimum ?? 0) < form.exact)
    }
    expect(strict).toBeGreaterThan(30)
  })
})
