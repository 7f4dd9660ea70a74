import { ownerOf } from '../algebra/placement.ts'
import type { Family } from '../schedule/family.ts'
import { applyTranspose } from './transpose.ts'

/** Owner m mod min(P, M); each rank runs its encodes as a prefix. */
export const transposeFull: Family = {
  id: 'transpose-full',
  title: 'transpose, microbatch m encoded by rank m mod min(P, M) before its body',
  source: 'HyperParallel-Mpipe (arXiv 2607.03229); overflow "full" of the hyper-parallel runtime',
  apply: measured =>
    applyTranspose(measured, ({ ranks, microbatches }) => m => ({
      rank: ownerOf(m, ranks, microbatches, 'full'),
      at: 'prefix'
    }))
}
