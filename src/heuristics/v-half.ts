import type { Family } from '../schedule/family.ts'
import { splitObstacle } from './backbone.ts'
import { mappedFamily } from './fixed-order.ts'
import { vShapeOrder } from './v-shape.ts'

/** A V of two slabs per rank with about half the activation memory of 1F1B. */
export const vHalf: Family = {
  id: 'v-half',
  title: 'V of two slabs per rank at half the activation memory of 1F1B, split backward',
  source:
    'Qi et al., Pipeline Parallelism with Controllable Memory (arXiv 2405.15362), V-Half; its building block as it repeats, without the later steps of the published schedule (docs/families.md)',
  apply: measured => {
    const obstacle = splitObstacle(measured)
    if (obstacle) return { kind: 'not-applicable', reason: obstacle }
    const order = vShapeOrder('v-half', measured.ranks, measured.microbatches, { down: 2, up: 1 })
    if (!order) return { kind: 'not-applicable', reason: `no building block fits ${measured.ranks} ranks` }
    return mappedFamily(measured, order, { split: true })
  }
}
