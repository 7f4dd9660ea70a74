import { numOwners, ownerOf } from '../algebra/placement.ts'
import type { Family } from '../schedule/family.ts'
import { applyTranspose } from './transpose.ts'

/** One encode per rank; the first rank runs what overflows, each directly before its forward. */
export const transposeMin: Family = {
  id: 'transpose-min',
  title: 'transpose, one encode per rank, the overflow on the first rank before each forward',
  source: 'overflow "min" of the hyper-parallel runtime',
  apply: measured =>
    applyTranspose(measured, ({ ranks, microbatches }) => m => ({
      rank: ownerOf(m, ranks, microbatches, 'min'),
      at: m < numOwners(ranks, microbatches) ? 'prefix' : 'before-forward'
    }))
}
