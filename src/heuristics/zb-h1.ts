import { zbH1Order } from '../algebra/orders/split.ts'
import type { Family } from '../schedule/family.ts'
import { splitObstacle } from './backbone.ts'
import { mappedFamily } from './fixed-order.ts'

/** 1F1B with a split backward whose weight parts fill the cooldown; memory of 1F1B. */
export const zbH1: Family = {
  id: 'zb-h1',
  title: 'handcrafted zero bubble at the memory of 1F1B, split backward',
  source: 'Qi et al., Zero Bubble Pipeline Parallelism (ICLR 2024), schedule ZB-H1',
  apply: measured => {
    const obstacle = splitObstacle(measured)
    if (obstacle) return { kind: 'not-applicable', reason: obstacle }
    const { ranks, microbatches } = measured
    return mappedFamily(measured, zbH1Order({ ranks, microbatches, chunks: 1 }), { split: true })
  }
}
