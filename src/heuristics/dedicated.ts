import { layoutOf } from '../algebra/types.ts'
import { addLists, range, sum } from '../base/arrays.ts'
import { slabBackwardTicks } from '../schedule/costs.ts'
import type { Family } from '../schedule/family.ts'
import type { BackwardCost, Measured, Slab } from '../schedule/measured.ts'
import { bodyFamily } from './inline.ts'

/** The source has the first stage for itself; the other ranks share the backbone. */
export const dedicated: Family = {
  id: 'dedicated',
  title: 'encoder alone on the first stage, backbone on the other ranks',
  source: 'DistTrain-like placement (arXiv 2408.04275); baseline of HyperParallel-Mpipe Experiment A',
  apply: measured => {
    const split = dedicatedMeasured(measured)
    return typeof split === 'string' ? { kind: 'not-applicable', reason: split } : bodyFamily(split)
  }
}

/** The instance with its source as stage 0 and the backbone on ranks 1..P-1, or why it cannot be. */
export function dedicatedMeasured(measured: Measured): Measured | string {
  const [source, backbone, ...rest] = measured.regions
  if (layoutOf(source.skeleton) !== 'Replicated') return 'no transposed source region to give a stage of its own'
  if (measured.ranks < 2) return 'needs at least 2 ranks'
  if (!backbone || rest.length > 0) return 'needs exactly one backbone region'
  if (backbone.stages.length !== measured.ranks) return 'needs a backbone with one slab per rank'
  const slabs = measured.dedicated ?? equalShares(backbone.stages.flat(), measured.ranks - 1, measured.microbatches)
  return {
    ...measured,
    regions: [
      { ...source, skeleton: backbone.skeleton, stages: [source.stages[0]] },
      { ...backbone, stages: slabs.map(slab => [slab]) }
    ]
  }
}

/** Slab k of n takes floor(k*X/n) - floor((k-1)*X/n) of every backbone total X. */
function equalShares(slabs: readonly Slab[], count: number, microbatches: number): Slab[] {
  const share = (total: number, k: number) =>
    Number((BigInt(k + 1) * BigInt(total)) / BigInt(count) - (BigInt(k) * BigInt(total)) / BigInt(count))
  const shares = (totals: readonly number[], k: number) => totals.map(total => share(total, k))
  const backward = totalBackward(slabs, microbatches)
  const forward = addLists(
    slabs.map(slab => slab.forward),
    microbatches
  )
  const [activation, parameters] = [sum(slabs.map(slab => slab.activation)), sum(slabs.map(slab => slab.parameters))]
  return range(count).map(k => ({
    origin: slabs[0].origin,
    trainable: slabs.some(slab => slab.trainable),
    forward: shares(forward, k),
    backward:
      backward.kind === 'full'
        ? { kind: 'full', full: shares(backward.full, k) }
        : { ...backward, input: shares(backward.input, k), weight: shares(backward.weight, k) },
    activation: share(activation, k),
    parameters: share(parameters, k),
    output: 0
  }))
}

/** Backward totals per microbatch; split only where every slab is. */
function totalBackward(slabs: readonly Slab[], microbatches: number): BackwardCost {
  const costs = slabs.map(slab => slab.backward)
  const split = costs.filter(cost => cost.kind === 'split')
  if (split.length < costs.length) {
    const full = slabs.map(slab => range(microbatches).map(m => slabBackwardTicks(slab, m, 'full')))
    return { kind: 'full', full: addLists(full, microbatches) }
  }
  return {
    kind: 'split',
    input: addLists(
      split.map(cost => cost.input),
      microbatches
    ),
    weight: addLists(
      split.map(cost => cost.weight),
      microbatches
    ),
    weightShare: split[0].weightShare
  }
}
