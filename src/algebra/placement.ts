import { fail } from '../base/fault.ts'
import { foldMap } from './orders/order.ts'
import { layoutOf, type Shape, type StageMap, traitsOf } from './types.ts'

export type { StageMap } from './types.ts'

/** How microbatches beyond min(P, M) find their owner. */
export type Overflow = 'full' | 'min'

/** ByLayer owner: stage s of S = v*P sits on rank s mod P. */
export function stageToRank(stage: number, ranks: number): number {
  return stage % ranks
}

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

/**
 * Where the stages of a shape sit: as its map says, else folded or dealt round as its skeletons say.
 * @throws FaultError MIXED_MAPS when Sharded regions disagree
 */
export function placementIn(shape: Pick<Shape, 'regions' | 'ranks' | 'microbatches' | 'stageMap'>): StagePlacement {
  if (shape.stageMap) return shape
  const sharded = shape.regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
  const maps = new Set(sharded.map(region => traitsOf(region.skeleton).map))
  if (maps.size > 1) {
    fail(
      'MIXED_MAPS',
      'schedule',
      sharded.map(region => region.skeleton),
      'folded and dealt regions share no stage -> rank map',
      'Give all Sharded regions skeletons of one kind.'
    )
  }
  if (maps.has('feed')) {
    fail(
      'MISSING_FEED',
      'schedule',
      sharded.map(region => region.skeleton),
      'two copies of the model need a bidirectional feed',
      'Give bidirectionalFeed(P, M) as the stage map (`derive --feed bidirectional`).'
    )
  }
  if (!maps.has('fold')) return { ranks: shape.ranks }
  const stages = sharded.reduce((total, region) => total + region.stages.length, 0)
  const copyOf = Array.from({ length: shape.microbatches }, () => 0)
  return { ranks: shape.ranks, stageMap: { copies: [foldMap(stages, shape.ranks)], copyOf } }
}

/**
 * The bidirectional feed as the second input of derive: two copies of P stages, one in each direction, and the first half
 * of the microbatches through the first copy.
 * @throws FaultError ODD_FEED for an odd M
 */
export function bidirectionalFeed(ranks: number, microbatches: number): StageMap {
  if (microbatches % 2 !== 0)
    fail('ODD_FEED', 'microbatches', microbatches, 'both ends take equally many microbatches', 'Give an even M.')
  const down = Array.from({ length: ranks }, (_, stage) => stage)
  const copyOf = Array.from({ length: microbatches }, (_, m) => (m < microbatches / 2 ? 0 : 1))
  return { copies: [down, down.map(stage => ranks - 1 - stage)], copyOf }
}
