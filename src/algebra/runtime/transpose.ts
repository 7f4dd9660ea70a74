import { range } from '../../base/arrays.ts'
import { numOwners, type Overflow, ownerOf } from '../placement.ts'
import type { EncoderBackward } from '../types.ts'
import { type ExecOrder, type RuntimeItem, type RuntimeStep, type StepType, step } from './steps.ts'

/** What the transposed region of the runtime is: how deep, whether trained, where its backward runs, who takes overflow. */
export type TransposeOptions = {
  readonly microbatches: number
  /** Encoder layers that are transposed; 0 transposes the data loading alone. */
  readonly layers: number
  readonly trainable: boolean
  readonly backward: EncoderBackward
  readonly overflow: Overflow
}

const SOURCE = -1

/**
 * The runtime's transpose pass over a body order with transfers: a prefix of owned encodes and feature transfers on
 * every rank, the first rank's patches inside the body, and the suffix that brings gradients back to their owners.
 * Bubbles and the body's own data loads go: the prefix loads for the whole step.
 */
export function transposeExecOrder(body: ExecOrder, options: TransposeOptions): RuntimeStep[][] {
  const ranks = body.length
  const plain = body.map(items => items.filter(item => item !== null && item.type !== 'DATA_LOAD') as RuntimeStep[])
  return plain.map((steps, rank) => [
    ...prefix(rank, ranks, options),
    ...(rank === 0 ? patchFirstRank(steps, ranks, options) : steps),
    ...suffix(rank, ranks, options)
  ])
}

function ownersOf(ranks: number, { microbatches, overflow }: TransposeOptions): number[] {
  return range(microbatches).map(m => ownerOf(m, ranks, microbatches, overflow))
}

/** Microbatches that a rank encodes before its body; under `min` the overflow is encoded inside the first rank's body. */
function prefixMicrobatches(ranks: number, options: TransposeOptions): number[] {
  const owners = numOwners(ranks, options.microbatches)
  return range(options.microbatches).filter(m => options.overflow === 'full' || m < owners)
}

/** Owner backward exists only where there is something to train. */
function trainedBy(options: TransposeOptions): EncoderBackward | undefined {
  return options.trainable ? options.backward : undefined
}

function prefix(rank: number, ranks: number, options: TransposeOptions): RuntimeStep[] {
  const owners = ownersOf(ranks, options)
  const early = prefixMicrobatches(ranks, options)
  const broadcast = options.trainable && options.layers > 0 ? [step('MPIPE_PARAM_BROADCAST', rank, SOURCE)] : []
  const own = early.filter(m => owners[m] === rank)
  const crossing = rank === 0 ? early.filter(m => owners[m] !== 0) : own
  return [...broadcast, ...own.flatMap(m => encode(m, options)), ...featureBlocks(rank, crossing, options)]
}

function encode(m: number, { layers }: TransposeOptions): RuntimeStep[] {
  return layers > 0
    ? [step('DATA_LOAD', m, SOURCE), step('MPIPE_TRANSPOSE_FWD', m, SOURCE)]
    : [step('DATA_LOAD', m, SOURCE)]
}

/** Transfers of the prefix, one block per type: other ranks send, the first rank receives the same blocks. */
function featureBlocks(rank: number, microbatches: readonly number[], options: TransposeOptions): RuntimeStep[] {
  const block = (send: StepType, receive: StepType) =>
    microbatches.map(m => step(rank === 0 ? receive : send, m, SOURCE))
  const graph = options.layers > 0 && trainedBy(options) === 'first-rank'
  return [
    ...block('DATA_SEND', 'DATA_RECV'),
    ...(options.layers > 0 ? block('MPIPE_FWD_SEND', 'MPIPE_FWD_RECV') : []),
    ...(graph ? block('MPIPE_GRAPH_SEND', 'MPIPE_GRAPH_RECV') : [])
  ]
}

/** Overflow encodes directly before their forward; recomputing backwards directly after the body's. */
function patchFirstRank(steps: readonly RuntimeStep[], ranks: number, options: TransposeOptions): RuntimeStep[] {
  const late = numOwners(ranks, options.microbatches)
  return steps.flatMap(item => {
    const m = item.micro ?? 0
    if (item.stage !== 0) return [item]
    if (item.type === 'FWD' && options.overflow === 'min' && m >= late) return [...encode(m, options), item]
    if (item.type === 'BWD' && trainedBy(options) === 'first-rank')
      return [item, step('MPIPE_TRANSPOSE_BWD', m, SOURCE)]
    return [item]
  })
}

function suffix(rank: number, ranks: number, options: TransposeOptions): RuntimeStep[] {
  if (trainedBy(options) !== 'owner') return []
  const owners = ownersOf(ranks, options)
  const crossing = range(options.microbatches).filter(m => (rank === 0 ? owners[m] !== 0 : owners[m] === rank))
  const type = rank === 0 ? 'MPIPE_GRAD_SEND' : 'MPIPE_GRAD_RECV_WITH_BACKWARD'
  return [...crossing.map(m => step(type, m, 0)), step('MPIPE_GRAD_REDUCE', null, 0)]
}

/** Drops what the transpose pass added, data transfers and bubbles: what remains is the plain body. */
export function withoutTranspose(order: ExecOrder): RuntimeStep[][] {
  return order.map(items =>
    items.filter(
      (item: RuntimeItem): item is RuntimeStep =>
        item !== null && !item.type.startsWith('MPIPE_') && !item.type.startsWith('DATA_')
    )
  )
}
