import { dualPipeOrder } from '../algebra/orders/dualpipe.ts'
import type { Family } from '../schedule/family.ts'
import { splitObstacle } from './backbone.ts'
import { mappedFamily } from './fixed-order.ts'

/** Microbatches enter at both ends, each half through its own copy of the model: twice the parameters. */
export const dualpipe: Family = {
  id: 'dualpipe',
  title: 'bidirectional feed over two copies of the model, forwards overlapped with backwards as options.overlap says',
  source: 'DeepSeek-V3 technical report (2024), DualPipe',
  apply: measured => {
    const { ranks, microbatches } = measured
    const obstacle = splitObstacle(measured)
    if (obstacle) return { kind: 'not-applicable', reason: obstacle }
    if (ranks % 2 !== 0) return { kind: 'not-applicable', reason: `needs an even number of ranks, not ${ranks}` }
    if (microbatches % 2 !== 0 || microbatches < 2 * ranks)
      return {
        kind: 'not-applicable',
        reason: `needs an even number of microbatches, at least 2P = ${2 * ranks}, not ${microbatches}`
      }
    return mappedFamily(measured, dualPipeOrder(ranks, microbatches), { split: true })
  }
}
