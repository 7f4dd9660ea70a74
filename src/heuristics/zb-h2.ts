import { zbH2Order } from '../algebra/orders/split.ts'
import type { Family } from '../schedule/family.ts'
import { splitObstacle } from './backbone.ts'
import { mappedFamily } from './fixed-order.ts'

/** The handcrafted order that trades up to twice the activations of 1F1B for a shorter span. */
export const zbH2: Family = {
  id: 'zb-h2',
  title: 'zero bubble by hand with about twice the activations of 1F1B: long warmup, weight parts put off by depth',
  source: 'Qi et al., Zero Bubble Pipeline Parallelism (ICLR 2024), ZB-H2',
  apply: measured => {
    const obstacle = splitObstacle(measured)
    if (obstacle) return { kind: 'not-applicable', reason: obstacle }
    return mappedFamily(measured, zbH2Order(measured.ranks, measured.microbatches), { split: true })
  }
}
