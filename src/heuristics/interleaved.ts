import { interleavedOrder, roundSizes, type Warmup } from '../algebra/orders/body.ts'
import type { Family, FamilyOrder } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import { chunksOf } from './backbone.ts'
import { wholeBackwardFamily } from './fixed-order.ts'

/** Several slabs per rank in turn, rounds of P microbatches, warmup two forwards longer per rank from the end. */
export const interleaved: Family = {
  id: 'interleaved',
  title: 'interleaved 1F1B, classic warmup, two or more slabs per rank',
  source: 'Narayanan et al., Megatron-LM (SC 2021)',
  apply: measured => interleavedFamily(measured, 'classic')
}

/** The interleaved order with a warmup, in the rounds that the instance states (`options.roundSize`). */
export function interleavedFamily(measured: Measured, warmup: Warmup): FamilyOrder {
  const { ranks, microbatches, roundSize } = measured
  const obstacle =
    interleavingObstacle(measured) ??
    (roundSize === undefined ? undefined : roundObstacle(roundSize, ranks, microbatches))
  if (obstacle) return { kind: 'not-applicable', reason: obstacle }
  const made = wholeBackwardFamily(
    measured,
    interleavedChunks(measured),
    size => interleavedOrder(size, warmup),
    roundSize
  )
  if (made.kind === 'not-applicable') return made
  const sizes = [...new Set(roundSizes({ ranks, microbatches, round: roundSize }))].sort((a, b) => b - a)
  return { ...made, notes: [`rounds of ${sizes.join(' and ')} microbatches`] }
}

/** The instance's own number of chunks, or two where it has one slab per rank (each cut in halves). */
export function interleavedChunks(measured: Measured): number {
  return Math.max(2, chunksOf(measured))
}

/** Why interleaving cannot apply, or undefined. */
export function interleavingObstacle(measured: Measured): string | undefined {
  if (measured.ranks < 2) return 'needs at least 2 ranks'
  return measured.microbatches < measured.ranks
    ? `needs at least P = ${measured.ranks} microbatches per round`
    : undefined
}

/**
 * Whether rounds of `size` microbatches are allowed in Megatron-LM's interleaved schedule: P <= size <= M, and what is
 * left over is nothing or at least P. Returns why not, or undefined.
 */
export function roundObstacle(size: number, ranks: number, microbatches: number): string | undefined {
  if (size < ranks || size > microbatches)
    return `rounds of ${size} must lie between P = ${ranks} and M = ${microbatches}`
  const rest = microbatches % size
  return rest === 0 || rest >= ranks
    ? undefined
    : `rounds of ${size} leave a last round of ${rest}, fewer than P = ${ranks}`
}
