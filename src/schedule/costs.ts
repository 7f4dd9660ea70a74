import { hasSource } from '../algebra/derive.ts'
import type { Shape } from '../algebra/types.ts'
import { addLists, range, sum } from '../base/arrays.ts'
import type { Byte, Measured, MeasuredRegion, Slab, Stage, Tick } from './measured.ts'

/** What `derive` reads of a measured instance. */
export function shapeOf(measured: Measured): Shape {
  return {
    ranks: measured.ranks,
    microbatches: measured.microbatches,
    regions: measured.regions.map(region => ({
      name: region.name,
      skeleton: region.skeleton,
      stages: region.stages.map(stage => stage.map(slab => ({ trainable: slab.trainable })))
    })),
    sourceWork: sourceWork(measured),
    encoderBackward: measured.encoderBackward,
    stageMap: measured.stageMap
  }
}

/** Per microbatch, whether the source region has work: its forward ticks are not all 0. All true where there is no source. */
export function sourceWork(measured: Pick<Measured, 'regions' | 'microbatches'>): boolean[] {
  if (!hasSource(measured.regions.map(region => ({ ...region, stages: [] }))))
    return range(measured.microbatches).map(() => true)
  return regionForward(measured.regions[0], measured.microbatches).map(ticks => ticks > 0)
}

function regionForward(region: MeasuredRegion, microbatches: number): Tick[] {
  return addLists(
    region.stages.flat().map(slab => slab.forward),
    microbatches
  )
}

/** Forward ticks of a stage for one microbatch: the sum of its parts. */
export function forwardTicks(stage: Stage, microbatch: number): Tick {
  let ticks = 0
  for (const slab of stage) ticks += slab.forward[microbatch]
  return ticks
}

/** Which part of the backward: all of it, or the halves of a split one. */
export type BackwardPart = 'full' | 'input' | 'weight'

/**
 * Backward ticks of one slab. A frozen slab that receives a gradient costs `input` where split, else the number given,
 * and has no weight part (spec section 2).
 */
export function slabBackwardTicks(slab: Slab, microbatch: number, part: BackwardPart): Tick {
  const cost = slab.backward
  if (cost.kind === 'full') return part === 'weight' ? 0 : cost.full[microbatch]
  const input = cost.input[microbatch]
  const weight = slab.trainable ? cost.weight[microbatch] : 0
  return part === 'full' ? input + weight : part === 'input' ? input : weight
}

/** Backward ticks of a stage for one microbatch; `runs[p]` says whether part p has a backward at all (Lemma 1). */
export function backwardTicks(
  stage: Stage,
  runs: readonly boolean[],
  microbatch: number,
  part: BackwardPart = 'full'
): Tick {
  let ticks = 0
  for (let index = 0; index < stage.length; index++)
    if (runs[index]) ticks += slabBackwardTicks(stage[index], microbatch, part)
  return ticks
}

/** Activation bytes of a stage for one microbatch that wait for its backward (`held`), and those that its forward's end releases. */
export function activationBytes(
  stage: Stage,
  runs: readonly boolean[],
  microbatch: number
): { readonly held: Byte; readonly released: Byte } {
  const bytes = stage.map(slab => (slab.holds?.[microbatch] === false ? 0 : slab.activation))
  const held = sum(bytes.map((byte, index) => (runs[index] ? byte : 0)))
  return { held, released: sum(bytes) - held }
}

/** Bytes that the weight part of a split backward keeps until its end: floor(activation * weightShare) per slab. */
export function weightHeldBytes(stage: Stage, runs: readonly boolean[], microbatch: number): Byte {
  return sum(
    stage.map((slab, index) =>
      runs[index] && slab.trainable && slab.backward.kind === 'split' && slab.holds?.[microbatch] !== false
        ? Math.floor(slab.activation * slab.backward.weightShare)
        : 0
    )
  )
}

/** Which encode (or encoder backward) of a microbatch: the item, and the chunk of its layers. */
export type EncodePart = { readonly item: number; readonly chunk: number }

/** How a transposed source's work of a microbatch is cut: chunks per item, and the items' relative sizes. */
export type EncoderCut = Pick<Measured, 'chunks' | 'items'>

/** The encodes of a microbatch, items ascending, each with its chunks ascending (docs/decisions/0004-encoder-tasks.md). */
export function encodeParts({ chunks = 1, items }: EncoderCut, microbatch: number): readonly EncodePart[] {
  if (chunks === 1 && items === undefined) return WHOLE
  return range(items?.[microbatch].length ?? 1).flatMap(item => range(chunks).map(chunk => ({ item, chunk })))
}

const WHOLE: readonly EncodePart[] = [{ item: 0, chunk: 0 }]

/** Share of a whole (ticks or bytes of a microbatch) that belongs to an item. */
export function itemShare({ items }: EncoderCut, microbatch: number, item: number, whole: number): number {
  return items === undefined ? whole : shareOf(whole, items[microbatch], item)
}

/** Share of a whole that belongs to one chunk of an item. */
export function chunkShare(cut: EncoderCut, microbatch: number, { item, chunk }: EncodePart, whole: number): number {
  const { chunks = 1 } = cut
  return equalShare(itemShare(cut, microbatch, item, whole), chunks, chunk)
}

/** Part `index` of an integer that is dealt into `count` equal ones: floor((k+1) X / count) - floor(k X / count). */
export function equalShare(whole: number, count: number, index: number): number {
  return count === 1 ? whole : floorOfShare(whole, index + 1, count) - floorOfShare(whole, index, count)
}

/** Part `index` of an integer that is dealt by weights: what lies between two floors of the running sum, so that parts add up. */
export function shareOf(whole: number, weights: readonly number[], index: number): number {
  const total = sum(weights)
  const before = sum(weights.slice(0, index))
  return floorOfShare(whole, before + weights[index], total) - floorOfShare(whole, before, total)
}

/** floor(whole * part / total), exact where the product leaves the safe integers. */
function floorOfShare(whole: number, part: number, total: number): number {
  const product = whole * part
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / total)
  return Number((BigInt(whole) * BigInt(part)) / BigInt(total))
}

/** Ticks of the reduction that the trainable parts among `slabs` share: reductions run in parallel, so the longest counts. */
export function reduceTicks(slabs: readonly Slab[], reduce: ReadonlyMap<string, Tick>): Tick {
  return Math.max(0, ...slabs.filter(slab => slab.trainable).map(slab => reduce.get(slab.origin) ?? 0))
}
