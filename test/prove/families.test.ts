import { describe, expect, it } from 'vitest'
import { jointBounds } from '../../src/bounds/index.ts'
import { FAMILIES } from '../../src/heuristics/index.ts'
import { sizesOf } from '../../src/prove/durations/counting.ts'
import { graphOfDocument } from '../../src/prove/durations/order-graph.ts'
import { proveOrder } from '../../src/prove/durations/prove-order.ts'
import { recheckBound } from '../../src/prove/optimal/bounds.ts'
import { frameOf } from '../../src/prove/optimal/frame.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Family } from '../../src/schedule/family.ts'
import { verify } from '../../src/verify/verify.ts'
import { generateMeasured } from '../support/generate.ts'

/** Schedules per family; a family whose rule fits seldom is given more instances, up to a limit. */
const WANTED = 500
const MOST = 6000

/** Families that cut a model between its layers, which generated instances do not list. */
const NEED_LAYERS = ['inline-best', 'dedicated-best']

const SOURCES = ['transposed', 'alone', 'transposed', 'pipelined'] as const

/** The family's schedule of a generated instance, or undefined where its rule does not fit. */
function scheduleOf(family: Family, seed: number) {
  const some = { maxRanks: 3, maxMicrobatches: 4, source: SOURCES[seed % SOURCES.length] }
  // Two directions at once need an even P and at least 2P microbatches.
  const size = family.id.startsWith('dualpipe') ? { ranks: 2, microbatches: 4, source: 'alone' as const } : some
  const applied = family.apply(generateMeasured(seed, size))
  if (applied.kind !== 'order') return undefined
  const { measured, problem, sequences } = applied
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') throw new Error(`${family.id} gave an order that cannot finish (seed ${seed})`)
  return { measured, problem, document: toDocument(problem, evaluation.schedule) }
}

describe('schedules of every family', { timeout: 180_000 }, () => {
  it.each(FAMILIES.filter(family => !NEED_LAYERS.includes(family.id)).map(family => [family.id, family] as const))(
    '%s: legal as timed and for every duration, and no bound is above them',
    async (_, family) => {
      let applied = 0
      for (let seed = 0; applied < WANTED && seed < MOST; seed++) {
        const made = scheduleOf(family, seed)
        if (!made) continue
        const { measured, document } = made
        const verdict = verify(measured, document)
        expect(verdict, `seed ${seed}`).toMatchObject({ legal: true })
        const proof = await proveOrder(graphOfDocument(measured, document), { sizes: sizesOf(measured) })
        expect(proof.faults, `seed ${seed}`).toEqual([])
        if (applied % 10 === 0) checkBounds(made)
        applied++
      }
      expect(applied).toBeGreaterThanOrEqual(WANTED)
    }
  )
})

/** The third strength: bounds of the free body are confirmed anew, and hold for the schedule. */
function checkBounds({ measured, problem, document }: NonNullable<ReturnType<typeof scheduleOf>>): void {
  const split = problem.events.some(event => event.key.kind === 'I')
  const frame = frameOf(measured, undefined, { split })
  for (const bound of jointBounds(buildProblem(measured, { split }))) {
    expect(recheckBound(frame, bound), bound.name).toMatchObject({ confirmed: true })
    expect(bound.ticks).toBeLessThanOrEqual(document.makespan)
  }
}
