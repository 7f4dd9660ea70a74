import { range, sum } from '../base/arrays.ts'
import { fail } from '../base/fault.ts'
import type { Plan } from './plan.ts'
import type { StageCost } from './text-cost.ts'
import { GIB, gib } from './units.ts'

/** Bytes of states of the replicated encoder. */
export type VisionStates = { readonly tower: number; readonly projector: number }

/** Bytes of states per rank, the replicated encoder on each. */
function staticBytes(plan: Plan, stages: readonly StageCost[], vision: VisionStates): number[] {
  return range(plan.parallel.ranks).map(
    rank =>
      sum(stages.filter((_, stage) => stage % plan.parallel.ranks === rank).map(one => one.states)) +
      vision.tower +
      vision.projector
  )
}

/** Throws MEMORY_NO_CUT where the states alone are more than all ranks together have room for. */
export function checkMemory(plan: Plan, stages: readonly StageCost[], vision: VisionStates): void {
  const bytes = staticBytes(plan, stages, vision)
  const limit = plan.hardware.memory.hardGiB.value * GIB
  const average = sum(bytes) / bytes.length
  if (average <= limit) return
  const { parallel } = plan
  fail(
    'MEMORY_NO_CUT',
    'parallel',
    `${gib(average)} GiB`,
    `weights, gradients and optimizer states need ${gib(average)} GiB per device on average over the ${parallel.ranks} ranks, ` +
      `a ${plan.hardware.deviceUnit} offers ${Number(gib(limit))} GiB: no cut fits`,
    `Raise ranks, tp (${parallel.tensor})${parallel.expert > 0 ? ` or ep (${parallel.expert})` : ''}${
      parallel.zero1 ? '' : ', turn on ZeRO-1'
    }, freeze parts, or use hardware with more memory.`
  )
}

/** Ranks that do not fit under 1F1B with this cut. */
export function memoryWarnings(plan: Plan, stages: readonly StageCost[], vision: VisionStates): string[] {
  const limit = plan.hardware.memory.hardGiB.value * GIB
  const { ranks, chunks, microbatches } = plan.parallel
  if (chunks > 1) return []
  const fixed = staticBytes(plan, stages, vision)
  const needs = stages.map((stage, rank) => fixed[rank] + Math.min(ranks - rank, microbatches) * stage.activation)
  return needs.flatMap((bytes, rank) =>
    bytes > limit
      ? [
          `rank ${rank} needs ${gib(bytes)} GiB under 1F1B (${gib(fixed[rank])} GiB of states, ${Math.min(ranks - rank, microbatches)} microbatches in flight), more than ${Number(plan.hardware.memory.hardGiB.value.toFixed(1))} GiB: recompute, or choose the cut under memory`
        ]
      : []
  )
}
