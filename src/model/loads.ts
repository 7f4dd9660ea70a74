import { maximum, range, sum } from '../base/arrays.ts'
import type { VisionModel } from './architecture.ts'
import type { Plan } from './plan.ts'
import { forwardOf, visionCost } from './vision-cost.ts'
import { drawLoads, type MicrobatchLoad } from './workload.ts'

/** The loads of one data-parallel group. */
export type Drawn = { readonly group: number; readonly loads: readonly MicrobatchLoad[] }

/** The loads of every data-parallel group of a plan. */
export function allLoads(plan: Plan, vision: VisionModel): readonly (readonly MicrobatchLoad[])[] {
  const { parallel } = plan
  const room = {
    microbatches: parallel.microbatches,
    groups: parallel.data,
    tokens: parallel.microbatchSize * parallel.sequence
  }
  return drawLoads(plan.workload, vision, room, plan.seed)
}

/** The loads that the plan is made for: the data-parallel group with most work, or each microbatch's worst over groups. */
export function plannedLoads(plan: Plan, vision: VisionModel): readonly MicrobatchLoad[] {
  const groups = allLoads(plan, vision)
  const work = groups.map(loads => loads.map(load => forwardOf(visionCost(plan, vision, load))))
  if (plan.groups === 'envelope')
    return range(plan.parallel.microbatches).map(m => groups[heaviest(work.map(times => times[m]))][m])
  return groups[heaviest(work.map(sum))]
}

function heaviest(values: readonly number[]): number {
  return values.indexOf(maximum(values))
}
