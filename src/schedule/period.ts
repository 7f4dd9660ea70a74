import { numStages } from '../algebra/derive.ts'
import { partBackwards } from '../algebra/gates.ts'
import { type SteadyWeights, steadyPeriod } from '../algebra/maxplus/period.ts'
import type { Fraction } from '../algebra/maxplus/regimes.ts'
import { loopMap, type PipelineOrder, run } from '../algebra/orders/order.ts'
import { weaveBody } from '../algebra/orders/weave.ts'
import { layoutOf } from '../algebra/types.ts'
import { backwardTicks, forwardTicks, shapeOf } from './costs.ts'
import type { Measured } from './measured.ts'

/** Ticks per round of the body in its steady stretch, and the microbatches of a round. */
export type BodyPeriod = { readonly ticks: Fraction; readonly microbatches: number }

/**
 * Steady period of an instance's 1F1B body, as the (max,+) eigenvalue of one round; durations are microbatch 0's. Undefined
 * without a body, for GPipe (whose forwards and backwards are two stretches), and where Lemma 1 leaves out backwards.
 */
export function bodyPeriod(measured: Measured): BodyPeriod | undefined {
  const { regions } = shapeOf(measured)
  const sharded = measured.regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
  const runs = measured.regions.flatMap((region, index) =>
    layoutOf(region.skeleton) === 'Sharded' ? partBackwards(measured.regions)[index] : []
  )
  const plain = sharded.length > 0 && sharded.every(region => region.skeleton === '1f1b') && !measured.stageMap
  if (!plain || runs.some(parts => !parts.some(Boolean))) return undefined
  const stages = sharded.flatMap(region => region.stages)
  const weights: SteadyWeights = {
    step: (kind, stage) =>
      kind === 'F' ? forwardTicks(stages[stage], 0) : backwardTicks(stages[stage], runs[stage], 0),
    send: measured.communication.send
  }
  const round = numStages(regions) > measured.ranks ? measured.ranks : 1
  const orderAt = (microbatches: number): PipelineOrder => ({
    name: 'body',
    ranks: measured.ranks,
    microbatches,
    rankOf: [loopMap(stages.length, measured.ranks)],
    items: weaveBody(regions, measured.ranks, microbatches, 'classic').map(steps =>
      steps.map(({ kind, stage, microbatch }) => run(kind, stage, microbatch))
    )
  })
  const ticks = steadyPeriod(orderAt, round, weights)
  return ticks && { ticks, microbatches: round }
}
