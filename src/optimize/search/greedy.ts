import type { Random } from '../../base/random.ts'
import { type EncoderTask, type Place, visitBackwardPlaces, visitEncodePlaces } from './insertion.ts'
import type { OrderState } from './order-state.ts'

/** Puts a task where the longest path through it is least (ties at random); heads and tails are fresh afterwards. */
export function placeTask(state: OrderState, task: EncoderTask, random: Random): void {
  const place = bestEncodePlace(state, task, random)
  state.insert(task.encode, place.after, place.rank)
  state.refresh()
  if (task.backward === undefined) return
  const { modes } = state.problem.events[task.backward]
  const rank = modes.length > 1 ? place.rank : modes[0].rank
  state.insert(task.backward, bestBackwardPlace(state, task, rank), rank)
  state.refresh()
}

/** Takes a task's events out; returns what `restoreTask` needs. Tasks are restored in reverse order of removal. */
export function removeTask(state: OrderState, task: EncoderTask): RemovedTask {
  const backward = task.backward === undefined ? undefined : spotOf(state, task.backward)
  if (task.backward !== undefined) state.remove(task.backward)
  const encode = spotOf(state, task.encode)
  state.remove(task.encode)
  return { task, encode, backward }
}

/** Puts a removed task back where it was. Heads and tails go stale. */
export function restoreTask(state: OrderState, { task, encode, backward }: RemovedTask): void {
  state.insert(task.encode, encode.after, encode.rank)
  if (task.backward !== undefined && backward) state.insert(task.backward, backward.after, backward.rank)
}

export type RemovedTask = { readonly task: EncoderTask; readonly encode: Spot; readonly backward: Spot | undefined }

type Spot = { readonly rank: number; readonly after: number }

function spotOf(state: OrderState, event: number): Spot {
  return { rank: state.rankOf[event], after: state.previous[event] }
}

function bestEncodePlace(state: OrderState, task: EncoderTask, random: Random): Place {
  let best: Place = { rank: -1, after: -1, path: Number.POSITIVE_INFINITY }
  let ties = 0
  visitEncodePlaces(state, task, (rank, after, path) => {
    if (path > best.path) return
    ties = path < best.path ? 1 : ties + 1
    if (ties === 1 || random() * ties < 1) best = { rank, after, path }
  })
  return best
}

function bestBackwardPlace(state: OrderState, task: EncoderTask, rank: number): number {
  let best = { after: -1, path: Number.POSITIVE_INFINITY }
  visitBackwardPlaces(state, task, rank, (after, path) => {
    if (path < best.path) best = { after, path }
  })
  return best.after
}
