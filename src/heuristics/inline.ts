import { layoutOf } from '../algebra/types.ts'
import { bodyOrder, bodySequences } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import { sourceWork } from '../schedule/costs.ts'
import type { Family, FamilyOrder } from '../schedule/family.ts'
import type { BackwardCost, Measured, Slab } from '../schedule/measured.ts'

/** The whole source is fused into stage 0 (plain Megatron-LM placement of a vision tower). */
export const inline: Family = {
  id: 'inline',
  title: 'encoder fused into the first stage',
  source: 'Megatron-LM style placement: the vision tower sits in the first pipeline stage',
  apply: measured => {
    const fused = inlineMeasured(measured)
    return typeof fused === 'string' ? { kind: 'not-applicable', reason: fused } : bodyFamily(fused)
  }
}

/** The order of an instance without a transposed source: its body alone. */
export function bodyFamily(measured: Measured): FamilyOrder {
  const problem = buildProblem(measured)
  return { kind: 'order', measured, problem, sequences: bodySequences(problem, bodyOrder(measured)) }
}

/** The instance with its source fused into stage 0, or why it cannot be. */
export function inlineMeasured(measured: Measured): Measured | string {
  const [source, first, ...rest] = measured.regions
  if (layoutOf(source.skeleton) !== 'Replicated') return 'no transposed source region to fuse'
  if (!first) return 'no backbone to fuse the source into'
  const work = sourceWork(measured)
  const parts = source.stages[0].map(slab => withoutIdleWork(slab, work))
  const regions = [{ ...first, stages: [[...parts, ...first.stages[0]], ...first.stages.slice(1)] }, ...rest]
  return { ...measured, regions }
}

/** Fused, a microbatch without encoder work costs and holds the slab alone, whatever its backward entry says. */
function withoutIdleWork(slab: Slab, work: readonly boolean[]): Slab {
  const mask = (ticks: readonly number[]) => ticks.map((tick, m) => (work[m] ? tick : 0))
  const cost = slab.backward
  const backward: BackwardCost =
    cost.kind === 'full'
      ? { kind: 'full', full: mask(cost.full) }
      : { ...cost, input: mask(cost.input), weight: mask(cost.weight) }
  return { ...slab, backward, holds: work }
}
