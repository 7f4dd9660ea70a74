import { foldMap, type OrderItem, type PipelineOrder, run, type StepKind } from '../algebra/orders/order.ts'
import { range } from '../base/arrays.ts'

/** Slots of a building block: two forwards, two input parts, two weight parts per rank and microbatch. */
const BLOCK = 6

/**
 * How a building block moves from rank to rank, in slots: `down` from one rank to the next, `up` from one to the one
 * before, for forwards and backwards alike. A microbatch lives about 2 (P - 1) (down + up) slots on a rank.
 */
export type Stride = { readonly down: number; readonly up: number }

type Slot = { readonly kind: StepKind; readonly chunk: 0 | 1; readonly at: number }

/**
 * An order over a V of two chunks from a building block that repeats every six slots (Qi et al., arXiv 2405.15362): a
 * microbatch runs down and up the V forward, then down and up backward, at the given strides; the turns take as few slots
 * as keep all steps of a rank apart modulo six; each weight part takes the next free slot. The order is what the slots
 * say; times follow from the durations.
 */
export function vShapeOrder(
  name: string,
  ranks: number,
  microbatches: number,
  stride: Stride
): PipelineOrder | undefined {
  const blocks = turnsOf(ranks, stride)
  if (!blocks) return undefined
  const items = blocks.map((block, rank) => {
    const steps = range(microbatches).flatMap(m =>
      block.map(slot => ({ ...slot, at: slot.at + m * BLOCK, microbatch: m }))
    )
    const stage = (chunk: 0 | 1) => (chunk === 0 ? rank : 2 * ranks - 1 - rank)
    return steps
      .sort((a, b) => a.at - b.at)
      .map((slot): OrderItem => run(slot.kind, stage(slot.chunk), slot.microbatch))
  })
  return { name, ranks, microbatches, rankOf: [foldMap(2 * ranks, ranks)], items }
}

/** The block of every rank for the shortest turns that work, by their sum, then lexicographically. */
function turnsOf(ranks: number, stride: Stride): Slot[][] | undefined {
  const choices = range(BLOCK ** 3).map(code => [
    1 + (code % 6),
    1 + (Math.floor(code / 6) % 6),
    1 + Math.floor(code / 36)
  ])
  const sorted = choices.sort((a, b) => a[0] + a[1] + a[2] - (b[0] + b[1] + b[2]))
  for (const turns of sorted) {
    const blocks = range(ranks).map(rank => blockOf(rank, ranks, stride, turns))
    if (blocks.every(block => block !== undefined)) return blocks
  }
  return undefined
}

/** One rank's block, or undefined where two steps share a slot modulo six. */
function blockOf(rank: number, ranks: number, { down, up }: Stride, turns: readonly number[]): Slot[] | undefined {
  const last = ranks - 1
  const deep = last * down + turns[0]
  const loss = deep + last * up + turns[1]
  const back = loss + last * down + turns[2]
  const steps: Slot[] = [
    { kind: 'F', chunk: 0, at: rank * down },
    { kind: 'F', chunk: 1, at: deep + (last - rank) * up },
    { kind: 'I', chunk: 1, at: loss + rank * down },
    { kind: 'I', chunk: 0, at: back + (last - rank) * up }
  ]
  const taken = new Set(steps.map(step => step.at % BLOCK))
  if (taken.size < steps.length) return undefined
  for (const chunk of [1, 0] as const) {
    let at = steps[chunk === 1 ? 2 : 3].at + 1
    while (taken.has(at % BLOCK)) at++
    taken.add(at % BLOCK)
    steps.push({ kind: 'W', chunk, at })
  }
  return steps
}
