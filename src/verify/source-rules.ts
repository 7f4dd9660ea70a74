import { isTrainable } from '../algebra/types.ts'
import { range, sum } from '../base/arrays.ts'
import type { Byte, Measured, Tick } from '../schedule/measured.ts'
import { reductionTicks, stageRules } from './stage-rules.ts'

/** What the instance demands of one encode and its backward: a chunk of an item's layers. */
export type EncodeRules = {
  readonly item: number
  readonly chunk: number
  readonly forwardTicks: Tick
  readonly backwardTicks: Tick
  /** Activation that waits for the backward, activation that is needed only while it runs, and what it hands on. */
  readonly heldBytes: Byte
  readonly releasedBytes: Byte
  readonly outputBytes: Byte
}

/** What the instance demands of the Replicated source. */
export type SourceRules = {
  readonly works: readonly boolean[]
  readonly backward: boolean
  /** Chunks of every item; the encodes of a microbatch by item * chunks + chunk; the most that one microbatch has. */
  readonly chunks: number
  readonly encodes: (microbatch: number) => readonly EncodeRules[]
  readonly width: number
  /** No E on a rank other than the first stage's starts before this tick. */
  readonly broadcast: Tick
  readonly reduction: Tick
}

/** The source's rules from its one stage; `runs[p]`: whether part p has a backward; `works[m]`: whether m has encoder work. */
export function sourceRules(measured: Measured, runs: readonly boolean[], works: readonly boolean[]): SourceRules {
  const stage = measured.regions[0].stages[0]
  const { encoderBackward, communication, microbatches, chunks = 1, items } = measured
  const rules = stageRules(stage, runs, microbatches)
  const recomputes = encoderBackward === 'first-rank'
  const trainable = isTrainable(measured.regions[0])
  const { output } = stage[stage.length - 1]
  const encodes = range(microbatches).map((m): EncodeRules[] => {
    const backward = rules.backwardTicks[m] + (recomputes ? rules.forwardTicks[m] : 0)
    const weights = items?.[m] ?? [1]
    const byItem = (whole: number) => deal(whole, weights)
    const [forwards, backwards, held] = [rules.forwardTicks[m], backward, rules.heldBytes].map(whole =>
      byItem(whole).map(share => deal(share, new Array<number>(chunks).fill(1)))
    )
    const [released, outputs] = [byItem(rules.releasedBytes), byItem(output)]
    return weights.flatMap((_, item) =>
      range(chunks).map(chunk => ({
        item,
        chunk,
        forwardTicks: forwards[item][chunk],
        backwardTicks: backwards[item][chunk],
        heldBytes: held[item][chunk],
        releasedBytes: released[item],
        outputBytes: outputs[item]
      }))
    )
  })
  return {
    works,
    backward: rules.backward,
    chunks,
    encodes: m => encodes[m],
    width: encodes.reduce((most, list) => Math.max(most, list.length), 1),
    broadcast: trainable ? communication.broadcast : 0,
    reduction: trainable && !recomputes ? reductionTicks(stage, measured) : 0
  }
}

/**
 * An integer dealt by weights: the k-th part reaches from floor(whole * W(k-1) / W) to floor(whole * W(k) / W), W(k) the sum
 * of the first k weights and W of all (docs/decisions/0004-encoder-tasks.md).
 */
function deal(whole: number, weights: readonly number[]): number[] {
  if (weights.length === 1) return [whole]
  const all = BigInt(sum(weights))
  let [reached, given] = [0n, 0n]
  return weights.map(weight => {
    reached += BigInt(weight)
    const next = (BigInt(whole) * reached) / all
    const part = Number(next - given)
    given = next
    return part
  })
}
