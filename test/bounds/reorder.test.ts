import { expect, it } from 'vitest'
import { placementBounds } from '../../src/bounds/index.ts'
import { anyInjection } from '../../src/bounds/reorder.ts'
import { checkSequences } from '../../src/optimize/point.ts'
import { injected } from '../../src/optimize/reorder.ts'
import { placementTask } from '../../src/optimize/tasks.ts'
import { recheckBound } from '../../src/prove/optimal/bounds.ts'
import { frameOf } from '../../src/prove/optimal/frame.ts'
import { bodyOrder } from '../../src/schedule/body.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { generateMeasured } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const orders = (items: readonly number[]): number[][] =>
  items.length === 0 ? [[]] : items.flatMap(m => orders(items.filter(other => other !== m)).map(rest => [m, ...rest]))

/** The shortest makespan over all injection orders of a body without free encoder work. */
function shortest(measured: Measured): number {
  const task = placementTask(measured)
  const spans = orders(Array.from({ length: measured.microbatches }, (_, m) => m)).map(order => {
    const one = injected(task, order)
    const attempt = checkSequences(one, one.body)
    return attempt.kind === 'point' ? attempt.point.value : Number.POSITIVE_INFINITY
  })
  return Math.min(...spans)
}

const boundsOf = (measured: Measured) => {
  const task = placementTask(measured)
  return placementBounds(anyInjection(task.relaxed), task.body)
}

it('microbatches that skip a pipelined source stand anywhere in the order', () => {
  const measured = sketch({ ranks: 2, microbatches: 2, forward: 1, backward: 5 })
  const [llm] = measured.regions
  const stages = llm.stages.map(([slab]) => [{ ...slab, origin: 'vision', trainable: false, forward: [1, 0] }])
  const skipping = { ...measured, regions: [{ ...llm, name: 'vision', stages }, llm] }
  expect(shortest(skipping)).toBe(19)
  for (const bound of boundsOf(skipping)) expect(bound.ticks, bound.name).toBeLessThanOrEqual(19)
})

it('no injection order beats the bounds, which are confirmed when worked out again', () => {
  const seen = { all: 0, skipping: 0, near: 0 }
  for (let seed = 0; seed < 90; seed++) {
    const source = seed % 3 === 0 ? 'alone' : 'pipelined'
    const measured = generateMeasured(seed, {
      source,
      ranks: 2,
      microbatches: seed % 2 === 0 ? 2 : 4,
      split: false,
      uniform: false
    })
    const least = shortest(measured)
    const frame = frameOf(measured, bodyOrder(measured), { anyInjection: true })
    for (const bound of boundsOf(measured)) {
      expect(bound.ticks, `seed ${seed} ${bound.name}`).toBeLessThanOrEqual(least)
      expect(recheckBound(frame, bound), `seed ${seed} ${bound.name}`).toMatchObject({ confirmed: true })
      if (bound.ticks >= 0.8 * least) seen.near++
    }
    seen.all++
    if (measured.regions[0].stages.some(([slab]) => slab.forward.includes(0))) seen.skipping++
  }
  expect(seen.all).toBe(90)
  expect(seen.skipping).toBeGreaterThanOrEqual(20)
  expect(seen.near).toBeGreaterThanOrEqual(5)
})
