/** How microbatches beyond min(P, M) find their owner. */
export type Overflow = 'full' | 'min'

/** ByLayer owner: stage s of S = v*P sits on rank s mod P. */
export function stageToRank(stage: number, ranks: number): number {
  return stage % ranks
}

/**
 * ByLayer owners where stages are not dealt round (fold, bidirectional feed): per copy of the model its stage -> rank map,
 * and the copy that each microbatch runs on (M entries).
 */
export type StageMap = { readonly copies: readonly (readonly number[])[]; readonly copyOf: readonly number[] }

/** What the rank of a stage depends on. */
export type StagePlacement = { readonly ranks: number; readonly stageMap?: StageMap | undefined }

/** The rank on which a stage runs a microbatch. */
export function rankOfStage({ ranks, stageMap }: StagePlacement, stage: number, microbatch: number): number {
  return stageMap ? stageMap.copies[stageMap.copyOf[microbatch]][stage] : stageToRank(stage, ranks)
}

/** The ranks that hold a stage's parameters, one per copy of the model. */
export function ranksOfStage({ ranks, stageMap }: StagePlacement, stage: number): number[] {
  return stageMap ? stageMap.copies.map(copy => copy[stage]) : [stageToRank(stage, ranks)]
}

/** NT = min(P, M): the ranks that own encodes under the fixed rules. */
export function numOwners(ranks: number, microbatches: number): number {
  return Math.min(ranks, microbatches)
}

/**
 * ByMicrobatch owner of microbatch m: m mod NT (`full`), or m for m < NT and else the first rank (`min`).
 * The single home of this rule.
 */
export function ownerOf(microbatch: number, ranks: number, microbatches: number, overflow: Overflow): number {
  const owners = numOwners(ranks, microbatches)
  if (overflow === 'full') return microbatch % owners
  return microbatch < owners ? microbatch : 0
}
