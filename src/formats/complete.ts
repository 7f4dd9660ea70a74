import { type ForeignOrder, runsOf } from '../schedule/foreign.ts'
import { refuse, type WriteResult } from './types.ts'

/** Refuses an order in which a stage leaves out microbatches: runtimes run every stage for every microbatch. */
export function incompleteRefusal(order: ForeignOrder): WriteResult | undefined {
  const done = new Set<number>()
  for (const { kind, stage, microbatch } of order.ranks.flatMap(actions => actions.flatMap(runsOf)))
    if (kind === 'F') done.add(stage * order.microbatches + microbatch)
  for (let id = 0; id < order.stages * order.microbatches; id++) {
    if (done.has(id)) continue
    const [stage, m] = [Math.floor(id / order.microbatches), id % order.microbatches]
    return refuse(
      'NOT_EXPRESSIBLE',
      `stages[${stage}]`,
      m,
      `stage ${stage} has no forward of microbatch ${m}, but the runtime runs every stage for every microbatch`,
      'Give the microbatch work in this stage (of length 0), or fuse the encoder into the first stage.'
    )
  }
  return undefined
}
