import { range } from '../../base/arrays.ts'

/** One compute step of a body order: stage-level forward or backward of a microbatch. */
export type BodyStep = { readonly kind: 'F' | 'B'; readonly stage: number; readonly microbatch: number }

/** Per rank, the steps in order. */
export type BodyOrder = readonly (readonly BodyStep[])[]

/**
 * P ranks, M microbatches, v chunks per rank (stage s on rank s mod P). `round`: microbatches per round of interleaved
 * orders; absent, as near P as M allows.
 */
export type BodySize = {
  readonly ranks: number
  readonly microbatches: number
  readonly chunks: number
  readonly round?: number | undefined
}

/** Warmup of the interleaved order: `classic` leads by 2 per rank of distance, `less-memory` by 1. */
export type Warmup = 'classic' | 'less-memory'

/** GPipe: all forwards (chunk by chunk), then all backwards (last chunk first), microbatches ascending. */
export function gpipeOrder({ ranks, microbatches, chunks }: BodySize): BodyOrder {
  return range(ranks).map(rank => [
    ...range(chunks).flatMap(chunk => range(microbatches).map(m => step('F', chunk * ranks + rank, m))),
    ...range(chunks).flatMap(chunk => range(microbatches).map(m => step('B', (chunks - 1 - chunk) * ranks + rank, m)))
  ])
}

/**
 * 1F1B. One chunk: rank r does min(P-r, M) forwards, then B,F pairs, then the remaining B. Several chunks: interleaved
 * with the given warmup.
 */
export function oneForwardOneBackwardOrder(size: BodySize, warmup: Warmup = 'classic'): BodyOrder {
  return interleavedOrder(size, size.chunks === 1 ? 'less-memory' : warmup)
}

/**
 * Interleaved 1F1B: warmup min((v-1)*g + k*(P-1-r), v*M) forwards with g the first round's size, then F,B pairs (F first), then
 * the remaining B; k = 2 classic, 1 less-memory. Rounds of P microbatches; what M leaves over is spread over the
 * rounds, the first ones taking one more; M < P is one round of M.
 */
export function interleavedOrder(size: BodySize, warmup: Warmup): BodyOrder {
  const total = size.chunks * size.microbatches
  return range(size.ranks).map(rank => {
    const warm = warmupForwards(size, warmup, rank)
    const forwards = chunkSteps(size, rank, 'F')
    const backwards = chunkSteps(size, rank, 'B')
    const steps = forwards.slice(0, warm)
    for (let i = 0; i < total - warm; i++) steps.push(forwards[warm + i], backwards[i])
    return steps.concat(backwards.slice(total - warm))
  })
}

/** Forwards that a rank does before its first F,B pair: min((v-1)*g + k*(P-1-r), v*M), g the first round's size. */
export function warmupForwards(size: BodySize, warmup: Warmup, rank: number): number {
  const [first] = roundSizes(size)
  const reach = (warmup === 'classic' ? 2 : 1) * (size.ranks - 1 - rank)
  return Math.min((size.chunks - 1) * first + reach, size.chunks * size.microbatches)
}

/** Sizes of the rounds in which interleaved orders walk the microbatches; they sum to M. Of a stated size all but the last. */
export function roundSizes({ ranks, microbatches, round }: Omit<BodySize, 'chunks'>): number[] {
  if (round !== undefined)
    return range(Math.ceil(microbatches / round)).map(index => Math.min(round, microbatches - index * round))
  const count = Math.max(1, Math.floor(microbatches / ranks))
  const base = Math.floor(microbatches / count)
  const extra = microbatches - base * count
  return range(count).map(round => base + (round < extra ? 1 : 0))
}

/** A rank's forwards, or its backwards, in the order of the rounds: chunk by chunk inside each round. */
export function chunkSteps(size: BodySize, rank: number, kind: 'F' | 'B'): BodyStep[] {
  const rounds = roundSizes(size)
  const steps: BodyStep[] = []
  let first = 0
  for (const length of rounds) {
    for (let chunk = 0; chunk < size.chunks; chunk++) {
      const depth = kind === 'F' ? chunk : size.chunks - 1 - chunk
      for (let i = 0; i < length; i++) steps.push(step(kind, depth * size.ranks + rank, first + i))
    }
    first += length
  }
  return steps
}

function step(kind: 'F' | 'B', stage: number, microbatch: number): BodyStep {
  return { kind, stage, microbatch }
}
