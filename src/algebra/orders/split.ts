import { range } from '../../base/arrays.ts'
import { type BodySize, type BodyStep, chunkSteps, warmupForwards } from './body.ts'
import { loopMap, type OrderItem, type PipelineOrder, run } from './order.ts'

/**
 * ZB-H1 (Qi et al., zero bubble, ICLR 2024), with any number of chunks: 1F1B with the less-memory warmup whose backward
 * is split. The weight part follows its input part by as many input parts as the rank's depth in the pipeline, so that
 * it fills what 1F1B leaves idle and holds no more activations than 1F1B's first rank.
 */
export function zbH1Order(size: BodySize): PipelineOrder {
  const { ranks, microbatches, chunks } = size
  return {
    name: 'zb-h1',
    ranks,
    microbatches,
    rankOf: [loopMap(ranks * chunks, ranks)],
    items: range(ranks).map(rank => splitRank(size, rank, warmupForwards(size, 'less-memory', rank), rank))
  }
}

/**
 * ZB-H2 (the same paper), one chunk: rank r runs min(2(P-r)-1, M) forwards before its first backward, which fills what
 * 1F1B leaves idle there, and puts each weight part off by two input parts per rank of depth, so that the ranks end one
 * after the other as they began. It holds up to 2P-1 activations and pays off where ranks need no barrier (span).
 */
export function zbH2Order(ranks: number, microbatches: number): PipelineOrder {
  const size = { ranks, microbatches, chunks: 1 }
  const warm = (rank: number) => Math.min(2 * (ranks - rank) - 1, microbatches)
  return {
    name: 'zb-h2',
    ranks,
    microbatches,
    rankOf: [loopMap(ranks, ranks)],
    // The warmup's last forward opens the first F,I pair.
    items: range(ranks).map(rank => splitRank(size, rank, warm(rank) - 1, 2 * rank))
  }
}

/** One rank's list: warmup forwards, F,I pairs, remaining I; each W follows the I that comes `delay` after its own. */
function splitRank(size: BodySize, rank: number, warm: number, delay: number): OrderItem[] {
  const forwards = chunkSteps(size, rank, 'F')
  const backwards = chunkSteps(size, rank, 'B')
  const as = (kind: 'F' | 'I' | 'W', { stage, microbatch }: BodyStep) => run(kind, stage, microbatch)
  const turn = (i: number): OrderItem[] => [
    as('I', backwards[i]),
    ...(i >= delay ? [as('W', backwards[i - delay])] : [])
  ]
  const total = backwards.length
  return [
    ...forwards.slice(0, warm).map(f => as('F', f)),
    ...range(total - warm).flatMap(i => [as('F', forwards[warm + i]), ...turn(i)]),
    ...range(warm).flatMap(i => turn(total - warm + i)),
    ...backwards.slice(Math.max(0, total - delay)).map(b => as('W', b))
  ]
}
