import { fail } from '../base/fault.ts'
import { gatesOf } from './gates.ts'
import { type Collective, chainInputs, type Inputs, layoutOf, type RegionShape } from './types.ts'

/** Boundary between two regions: its forward collective, and its backward one where Lemma 1 allows it. */
export type Seam = {
  readonly from: number
  readonly to: number
  readonly forward: Collective
  readonly backward?: Collective
}

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

/**
 * Seams of a normal schedule, input to loss. A backward collective needs someone at or before its left region who is
 * trained; in a chain that is the right region's `sends` (Lemma 1 i), between parallel sources it is asked of each seam.
 */
export function seamsOf(regions: readonly RegionShape[], inputs: Inputs = chainInputs(regions)): Seam[] {
  const gates = gatesOf(regions, inputs)
  return regions.flatMap((region, to) =>
    inputs[to].map(from => {
      const [forward, backward] = collectives(regions[from], region)
      return gates[from].receives ? { from, to, forward, backward } : { from, to, forward }
    })
  )
}
