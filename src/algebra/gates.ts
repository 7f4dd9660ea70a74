import { chainInputs, type Inputs, isTrainable, partsOf, type RegionShape } from './types.ts'

/** Which backward work a region does (paper Lemma 1). The skeletons are not read: Corollary 1. */
export type Gates = {
  /** Sends its input-activation gradient upstream: some earlier region is trainable. */
  readonly sends: boolean
  /** Receives a gradient from downstream: it or some earlier region is trainable. */
  readonly receives: boolean
  /** Reduces weight gradients: it is trainable. */
  readonly reduces: boolean
}

/** Per region whether anything that leads into it is trainable: "before" in Lemma 1. */
export function trainedBefore(regions: readonly RegionShape[], inputs: Inputs = chainInputs(regions)): boolean[] {
  const before: boolean[] = []
  for (const [index] of regions.entries()) {
    before.push(inputs[index].some(input => before[input] || isTrainable(regions[input])))
  }
  return before
}

/** The three gates of every region, input to loss. */
export function gatesOf(regions: readonly RegionShape[], inputs: Inputs = chainInputs(regions)): Gates[] {
  const before = trainedBefore(regions, inputs)
  return regions.map((region, index) => {
    const reduces = isTrainable(region)
    return { sends: before[index], receives: before[index] || reduces, reduces }
  })
}

/**
 * Lemma 1 (ii) part by part: whether each part (region, stage, part) runs a backward, i.e. whether it or anything before
 * it in depth order is trainable. Inside a region this refines the region's own gate: a merged frozen ViT before a
 * trainable projector runs none.
 */
export function partBackwards(regions: readonly RegionShape[], inputs: Inputs = chainInputs(regions)): boolean[][][] {
  const before = trainedBefore(regions, inputs)
  return regions.map((region, index) => {
    let trained = before[index]
    return region.stages.map(parts =>
      parts.map(part => {
        trained ||= part.trainable
        return trained
      })
    )
  })
}

/** Whether any part of each (region, stage) runs a backward; in a Replicated region, whether its encode has one. */
export function stageBackwards(regions: readonly RegionShape[], inputs: Inputs = chainInputs(regions)): boolean[][] {
  return partBackwards(regions, inputs).map(region => region.map(parts => parts.some(Boolean)))
}

/** Names the trainable source: the first region with a trainable part, if any. It receives but does not send. */
export function trainableSource(regions: readonly RegionShape[]): number | undefined {
  const index = regions.findIndex(region => partsOf(region).some(part => part.trainable))
  return index < 0 ? undefined : index
}
