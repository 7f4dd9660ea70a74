import { oneForwardOneBackwardOrder } from '../../algebra/orders/body.ts'
import { maximum, range } from '../../base/arrays.ts'

/** How often each stage's forward and backward stand on a longest path. */
export type PathCounts = { readonly forward: readonly number[]; readonly backward: readonly number[] }

/** Length of a 1F1B step and one longest path through it. */
export type Step = { readonly makespan: number; readonly path: PathCounts }

/**
 * One 1F1B step with one stage per rank, no transfer times, any non-negative times (they need not be whole). The path
 * says which stage times the makespan is the sum of.
 */
export function oneForwardOneBackwardStep(
  forward: readonly number[],
  backward: readonly number[],
  microbatches: number
): Step {
  const ranks = forward.length
  const order = oneForwardOneBackwardOrder({ ranks, microbatches, chunks: 1 })
  const size = ranks * microbatches
  const end = new Float64Array(2 * size)
  const before = new Int32Array(2 * size).fill(-1)
  const id = (kind: 'F' | 'B', stage: number, m: number) => (kind === 'F' ? 0 : size) + stage * microbatches + m
  const done = new Uint8Array(2 * size)
  const position = new Int32Array(ranks)
  const needs = (kind: 'F' | 'B', stage: number, m: number): number => {
    if (kind === 'F') return stage > 0 ? id('F', stage - 1, m) : -1
    return stage < ranks - 1 ? id('B', stage + 1, m) : id('F', stage, m)
  }
  let waiting = range(ranks)
  while (waiting.length > 0) {
    for (const rank of waiting) {
      const steps = order[rank]
      while (position[rank] < steps.length) {
        const at = position[rank]
        const { kind, microbatch } = steps[at]
        const event = id(kind, rank, microbatch)
        const need = needs(kind, rank, microbatch)
        if (need >= 0 && !done[need]) break
        const last = at > 0 ? id(steps[at - 1].kind, rank, steps[at - 1].microbatch) : -1
        const from = need >= 0 && (last < 0 || end[need] > end[last]) ? need : last
        before[event] = from
        end[event] = (from < 0 ? 0 : end[from]) + (kind === 'F' ? forward : backward)[rank]
        done[event] = 1
        position[rank]++
      }
    }
    waiting = waiting.filter(rank => position[rank] < order[rank].length)
  }
  return { makespan: maximum(end), path: countsOf(end, before, ranks, microbatches) }
}

function countsOf(end: Float64Array, before: Int32Array, ranks: number, microbatches: number): PathCounts {
  const size = ranks * microbatches
  const counts = { forward: new Array<number>(ranks).fill(0), backward: new Array<number>(ranks).fill(0) }
  let event = end.reduce((best, value, index) => (value > end[best] ? index : best), 0)
  while (event >= 0) {
    const list = event < size ? counts.forward : counts.backward
    list[Math.floor((event % size) / microbatches)]++
    event = before[event]
  }
  return counts
}
