import { range } from '../../base/arrays.ts'
import { type BodySize, type BodyStep, chunkSteps, type Warmup, warmupForwards } from '../orders/body.ts'
import { composite, type RuntimeItem, type RuntimeStep, step } from './steps.ts'

/** Choices of the interleaved generator beside its size. */
export type GridOptions = { readonly warmup: Warmup; readonly overlapBackwardForward: boolean }

/**
 * The interleaved compute grid: per rank one item per time column, bubbles included. Rank r waits r columns, does its
 * warmup forwards, waits for the first backward, then alternates. A composite takes two columns, so a placeholder
 * (`undefined`) follows it.
 */
export function interleavedGrid(size: BodySize, options: GridOptions): (RuntimeItem | undefined)[][] {
  return range(size.ranks).map(rank => gridOfRank(size, options, rank))
}

function gridOfRank(size: BodySize, options: GridOptions, rank: number): (RuntimeItem | undefined)[] {
  const depth = size.ranks - 1 - rank
  const reach = options.warmup === 'classic' ? 2 : 1
  const total = size.chunks * size.microbatches
  const warm = warmupForwards(size, options.warmup, rank)
  const forwards = chunkSteps(size, rank, 'F')
  const backwards = chunkSteps(size, rank, 'B')
  return [
    ...bubbles(rank),
    ...forwards.slice(0, warm).flatMap(op => [runs(op), ...shortPad(size, op)]),
    ...bubbles(Math.max(0, reach * depth - size.microbatches)),
    ...bubbles(depth),
    ...steadyPairs(size, options, forwards.slice(warm), backwards, rank),
    ...backwards.slice(total - warm).flatMap(op => [...bubbles(1), runs(op), ...shortPad(size, op)])
  ]
}

function bubbles(count: number): null[] {
  return range(count).map(() => null)
}

function runs({ kind, stage, microbatch }: BodyStep): RuntimeStep {
  return step(kind === 'F' ? 'FWD' : 'BWD', microbatch, stage)
}

/** With several chunks and M < P, a round leaves columns empty after its last microbatch. */
function shortPad({ ranks, microbatches, chunks }: BodySize, { kind, stage, microbatch }: BodyStep): null[] {
  if (chunks === 1 || microbatches >= ranks || microbatch !== microbatches - 1) return []
  const last = kind === 'F' ? stage >= (chunks - 1) * ranks : stage < ranks
  return last ? [] : bubbles((kind === 'F' ? 1 : 2) * (ranks - microbatches))
}

/** F,B pairs; overlapped: the first F alone, then every B with the following F as one item, then the last B alone. */
function steadyPairs(
  size: BodySize,
  options: GridOptions,
  forwards: readonly BodyStep[],
  backwards: readonly BodyStep[],
  rank: number
): (RuntimeItem | undefined)[] {
  const pad = (b: BodyStep) => (rank === size.ranks - 1 ? shortPad(size, b) : [])
  if (!options.overlapBackwardForward)
    return forwards.flatMap((f, i) => [runs(f), runs(backwards[i]), ...pad(backwards[i])])
  const first = forwards.length > 0 ? [runs(forwards[0])] : []
  const pairs = range(forwards.length).flatMap((i): (RuntimeItem | undefined)[] =>
    i === forwards.length - 1
      ? [runs(backwards[i]), ...pad(backwards[i])]
      : [composite('OVERLAP_B_F', [runs(backwards[i]), runs(forwards[i + 1])]), undefined, ...pad(backwards[i])]
  )
  return [...first, ...pairs]
}
