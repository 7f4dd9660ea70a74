import { groupBy, range } from '../base/arrays.ts'
import { backwardTicks, type EncodePart, forwardTicks } from './costs.ts'
import { taskName } from './encoder-task.ts'
import type { Measured, Stage } from './measured.ts'
import type { Event, EventId, Mode, Tie } from './problem.ts'

/** Ways to run an encode of a whole microbatch: on any rank, off the first not before the broadcast of a trained encoder. */
export function encodeModes({ ranks, communication }: Measured, stage: Stage, microbatch: number): Mode[] {
  const trained = stage.some(slab => slab.trainable)
  const duration = forwardTicks(stage, microbatch)
  return range(ranks).map(rank => ({ rank, duration, release: trained && rank !== 0 ? communication.broadcast : 0 }))
}

/** Ways to run the backward of a whole microbatch's encode: where its encode ran, or recomputed on the first stage's rank. */
export function encodeBackwardModes(
  { ranks, encoderBackward }: Measured,
  { stage, runs }: { readonly stage: Stage; readonly runs: readonly boolean[] },
  microbatch: number,
  firstRank: number
): Mode[] {
  const duration = backwardTicks(stage, runs, microbatch)
  if (encoderBackward === 'first-rank')
    return [{ rank: firstRank, duration: forwardTicks(stage, microbatch) + duration, release: 0 }]
  return range(ranks).map(rank => ({ rank, duration, release: 0 }))
}

/** What a source event of the graph stands for: per item, the event that its edges arrive at, and the one that they leave from. */
export type Parts = { readonly enter: readonly EventId[]; readonly leave: readonly EventId[] }

/** Parts in the order in which one rank would run them: backwards take the chunks of each item from the last. */
export function partsInOrder(kind: 'E' | 'EB', parts: readonly EncodePart[]): readonly EncodePart[] {
  return kind === 'E' || parts.length === 1 ? parts : [...parts].sort((a, b) => a.item - b.item || b.chunk - a.chunk)
}

/** One tie per encoder task whose events must share a rank: its chunks, and its backward's where the owner runs them. */
export function tiesOf(
  { encoderBackward }: Measured,
  events: readonly Event[],
  chains: readonly (readonly EventId[])[]
): Tie[] {
  const free = chains.filter(([first]) => events[first].key.kind === 'E' || encoderBackward === 'owner')
  return [...groupBy(free, ([first]) => taskName(events[first].key)).values()]
    .map(task => task.flat())
    .filter(members => members.length > 1)
    .map(members => ({ same: 'rank', events: members }))
}
