/** How microbatches beyond min(P, M) find their owner. */
export type Overflow = 'full' | 'min'

/** ByLayer owner: stage s of S = v*P sits on rank s mod P. */
export function stageToRank(stage: number, ranks: number): number {
  return stage % ranks
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
