import { dualPipeVOrder } from '../algebra/orders/dualpipe.ts'
import type { Family } from '../schedule/family.ts'
import { splitObstacle } from './backbone.ts'
import { mappedFamily } from './fixed-order.ts'

/** DualPipe cut in half: one copy of the model folded into a V. */
export const dualpipev: Family = {
  id: 'dualpipev',
  title: 'DualPipe over a V of two slabs per rank, forwards overlapped with backwards as options.overlap says',
  source: 'DualPipeV, DeepSeek (2025), after "cut in half" by Qi et al.',
  apply: measured => {
    const { ranks, microbatches } = measured
    const obstacle = splitObstacle(measured)
    if (obstacle) return { kind: 'not-applicable', reason: obstacle }
    if (microbatches < 2 * ranks)
      return { kind: 'not-applicable', reason: `needs at least 2P = ${2 * ranks} microbatches, not ${microbatches}` }
    return mappedFamily(measured, dualPipeVOrder(ranks, microbatches), { split: true })
  }
}
