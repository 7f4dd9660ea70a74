import { layoutOf, type Skeleton } from '../../algebra/types.ts'
import { maximum, range, sum } from '../../base/arrays.ts'
import type { Fault } from '../../base/fault.ts'
import { scaleHalfUp } from '../decimal.ts'
import { LIMITS } from '../limits.ts'
import { otherCuts } from '../numbers.ts'
import { tickScale } from '../scale.ts'
import type { InstanceDocument, SlabDocument } from '../schema.ts'
import { faultAt } from './fault.ts'
import { mapping, type View } from './raw.ts'

/**
 * More events than anything here can hold: a forward and a backward per stage and microbatch, and per chunk of every encoder
 * task of a Replicated region.
 */
export function eventFaults({ root, microbatches, skeletons, regions, shardedSlabs }: View): Fault[] {
  if (microbatches === undefined || skeletons === undefined || shardedSlabs === undefined) return []
  const replicated = regions.filter((_, index) => layoutOf(skeletons[index]) === 'Replicated').length
  const { chunks, items } = mapping(root.options)
  const tasks = Array.isArray(items) ? sum(items.map(taskCount)) : microbatches * taskCount(items)
  const events = 2 * (shardedSlabs * microbatches + replicated * tasks * taskCount(chunks))
  if (events <= LIMITS.events) return []
  const message = `${events} events; the limit is ${LIMITS.events}`
  return [faultAt('TOO_MANY_EVENTS', ['microbatches'], microbatches, message, 'Use fewer microbatches or stages.')]
}

/** Encoder tasks that an entry of `items` stands for, or chunks; 1 where it says nothing. */
function taskCount(entry: unknown): number {
  if (Array.isArray(entry)) return entry.length
  return typeof entry === 'number' && entry > 1 ? entry : 1
}

/** The parts of a document that the sums are made of. */
export type Summable = Pick<
  InstanceDocument,
  'ranks' | 'microbatches' | 'regions' | 'communication' | 'memory' | 'options' | 'dedicated' | 'cuts'
>

const MAX = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Sums above 2^53 - 1, where integers in doubles end. Ticks: all work in a row, encodes recomputed, and a transfer after
 * each event bound every makespan. Bytes: a rank's reserve, parameters and all its activations and outputs bound every
 * peak, so a sum over all slabs that stays below leaves nothing to check.
 */
export function sumFaults(document: Summable, skeletons: readonly Skeleton[] | undefined): Fault[] {
  return [...tickFaults(document), ...byteFaults(document, skeletons)]
}

function tickFaults(document: Summable): Fault[] {
  const { power } = tickScale(document)
  // In doubles the sum is right to far better than one half, so only sums near the limit need exact integers.
  const rough = horizon(
    document,
    value => value * 10 ** power,
    (a, b) => a + b,
    (a, times) => a * times,
    0
  )
  if (rough < Number.MAX_SAFE_INTEGER / 2) return []
  const sum = horizon(
    document,
    value => scaleHalfUp(value, power).scaled,
    (a, b) => a + b,
    (a, times) => a * BigInt(times),
    0n
  )
  if (sum <= MAX) return []
  const message = `the durations sum up to ${sum} ticks (${10 ** power} per unit), above 2^53 - 1`
  return [faultAt('TICK_OVERFLOW', ['unit'], undefined, message, 'Use a coarser unit, or fewer decimal places.')]
}

/** All ticks in a row, in the arithmetic that is handed in. */
function horizon<T>(
  document: Summable,
  ticks: (value: number) => T,
  add: (a: T, b: T) => T,
  times: (a: T, count: number) => T,
  zero: T
): T {
  const { regions, microbatches, communication } = document
  const total = (numbers: number | readonly number[]): T =>
    typeof numbers === 'number'
      ? times(ticks(numbers), microbatches)
      : numbers.reduce<T>((sum, value) => add(sum, ticks(value)), zero)
  const work = ({ forward, backward }: SlabDocument): T => {
    const whole = typeof backward === 'number' || Array.isArray(backward)
    const back = whole ? total(backward) : add(total(backward.input), total(backward.weight))
    return add(times(total(forward), 2), back)
  }
  const slabs = [...regions.flatMap(region => region.stages), ...otherCuts(document).flatMap(cut => cut.stages)]
  const { send, gather, scatter, broadcast, reduce } = communication
  const { items = 1 } = document.options
  const tasks = typeof items === 'number' ? items : maximum(items.map(taskCount))
  const lags = times(ticks(maximum([send, gather, scatter])), 4 * (slabs.length + tasks) * microbatches)
  const rest = [broadcast, ...Object.values(reduce)].map(ticks)
  return [...slabs.map(work), ...rest].reduce(add, lags)
}

function byteFaults(document: Summable, skeletons: readonly Skeleton[] | undefined): Fault[] {
  const { ranks, microbatches, memory } = document
  const bytes = (value: number): bigint => scaleHalfUp(value, 0).scaled
  const need = (slab: SlabDocument): bigint =>
    bytes(slab.parameters) + BigInt(microbatches) * (bytes(slab.activation) + bytes(slab.output))
  const others = otherCuts(document).map(cut => sumBig(cut.stages.map(need)))
  const reserved = memory?.reserved ?? 0
  const most = typeof reserved === 'number' ? reserved : maximum(reserved)
  const regions = document.regions.map(({ stages }, index) =>
    heaviestShare(stages.map(need), skeletons?.[index] === 'transpose' ? 1 : ranks)
  )
  const sum = bytes(most) + maxBig([sumBig(regions), ...others])
  if (sum <= MAX) return []
  const message = `one rank can come to hold ${sum} bytes, above 2^53 - 1`
  return [faultAt('BYTE_OVERFLOW', ['regions'], undefined, message, 'Check activation, parameters and output.')]
}

/** Bytes of the heaviest rank when the slabs of one region are dealt out in turn; a replicated region is dealt to one. */
function heaviestShare(needs: readonly bigint[], ranks: number): bigint {
  return maxBig(
    range(Math.min(ranks, needs.length)).map(rank => sumBig(needs.filter((_, slab) => slab % ranks === rank)))
  )
}

function maxBig(values: readonly bigint[]): bigint {
  let best = 0n
  for (const value of values) if (value > best) best = value
  return best
}

function sumBig(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}
