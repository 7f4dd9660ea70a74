import { range } from '../../base/arrays.ts'
import { notYet } from '../../base/fault.ts'
import { isPlain, layoutOf, type Skeleton } from '../types.ts'
import { type BodyOrder, type BodyStep, gpipeOrder, oneForwardOneBackwardOrder, type Warmup } from './body.ts'

type Woven = { readonly skeleton: Skeleton; readonly stages: readonly unknown[] }

/**
 * The body of a schedule: its Sharded regions of plain skeletons woven into one order over all their stages. Regions of
 * one skeleton form one wavefront of S/P chunks. A `gpipe` region returns no gradient before all its forwards are done, so
 * everything before it runs as gpipe too; the 1f1b regions after it run their wavefront between its forwards and its
 * backwards.
 * @throws FaultError NOT_YET for the extensions, whose orders are whole orders of their own
 */
export function weaveBody(regions: readonly Woven[], ranks: number, microbatches: number, warmup: Warmup): BodyOrder {
  const sharded = regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
  const extended = sharded.find(region => !isPlain(region.skeleton))
  if (extended)
    notYet(
      'schedule',
      extended.skeleton,
      `weaving ${extended.skeleton} into a body of 1f1b and gpipe`,
      'Give all Sharded regions 1f1b or gpipe.'
    )
  const stages = sharded.reduce((total, region) => total + region.stages.length, 0)
  if (stages === 0) return range(ranks).map(() => [])
  const flushed = stagesBeforeFlush(sharded)
  const size = { ranks, microbatches, chunks: stages / ranks }
  if (flushed === 0) return oneForwardOneBackwardOrder(size, warmup)
  const outer = keep(gpipeOrder(size), stage => stage < flushed)
  if (flushed === stages) return outer
  const aligned = Math.floor(flushed / ranks)
  const inner = keep(
    shift(oneForwardOneBackwardOrder({ ...size, chunks: size.chunks - aligned }, warmup), aligned * ranks),
    stage => stage >= flushed
  )
  return range(ranks).map(rank => [
    ...outer[rank].filter(step => step.kind === 'F'),
    ...inner[rank],
    ...outer[rank].filter(step => step.kind === 'B')
  ])
}

/** Stages up to and including the last gpipe region's. */
function stagesBeforeFlush(sharded: readonly Woven[]): number {
  const last = sharded.findLastIndex(region => region.skeleton === 'gpipe')
  return sharded.slice(0, last + 1).reduce((total, region) => total + region.stages.length, 0)
}

/** A part of an order: what remains keeps its order, and so cannot wait for itself. */
function keep(order: BodyOrder, wanted: (stage: number) => boolean): BodyOrder {
  return order.map(steps => steps.filter(step => wanted(step.stage)))
}

function shift(order: BodyOrder, by: number): BodyOrder {
  return order.map(steps => steps.map((step): BodyStep => ({ ...step, stage: step.stage + by })))
}
