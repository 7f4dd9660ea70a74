import { zbvOrder } from '../algebra/orders/zbv.ts'
import type { Family } from '../schedule/family.ts'
import { splitObstacle } from './backbone.ts'
import { mappedFamily } from './fixed-order.ts'

/** Two slabs per rank folded into a V, split backward, memory of 1F1B. */
export const zbv: Family = {
  id: 'zbv',
  title: 'zero bubble over a V of two slabs per rank, split backward',
  source:
    'Qi et al., Pipeline Parallelism with Controllable Memory (arXiv 2405.15362), ZB-V, handcrafted order; the published makespans are of a search over fill choices (docs/families.md)',
  apply: measured => {
    const obstacle = splitObstacle(measured)
    if (obstacle) return { kind: 'not-applicable', reason: obstacle }
    return mappedFamily(measured, zbvOrder(measured.ranks, measured.microbatches), { split: true })
  }
}
