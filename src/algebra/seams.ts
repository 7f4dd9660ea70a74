import { fail } from '../base/fault.ts'
import { gatesOf } from './gates.ts'
import { type Collective, layoutOf, type RegionShape } from './types.ts'

/** Boundary between region `from` and the next one: its forward collective, and its backward one where Lemma 1 allows it. */
export type Seam = { readonly from: number; readonly forward: Collective; readonly backward?: Collective }

/** The collective pair of a layout pair (paper section 3.4). Replicated next to Replicated has no seam: it merges. */
function collectives(left: RegionShape, right: RegionShape): readonly [forward: Collective, backward: Collective] {
  const pair = `${layoutOf(left.skeleton)}->${layoutOf(right.skeleton)}` as const
  switch (pair) {
    case 'Replicated->Sharded':
      return ['Gather', 'Scatter']
    case 'Sharded->Sharded':
      return ['Send', 'RecvGrad']
    case 'Sharded->Replicated':
      return ['Scatter', 'Gather']
    case 'Replicated->Replicated':
      return fail(
        'NOT_NORMAL',
        'schedule',
        pair,
        'adjacent Replicated regions have no seam',
        'Normalise the schedule first.'
      )
  }
}

/** Seams of a normal schedule, input to loss; the backward collective is gated by the right region's `sends` (Lemma 1 i). */
export function seamsOf(regions: readonly RegionShape[]): Seam[] {
  const gates = gatesOf(regions)
  return regions.slice(1).map((region, from) => {
    const [forward, backward] = collectives(regions[from], region)
    return gates[from + 1].sends ? { from, forward, backward } : { from, forward }
  })
}
