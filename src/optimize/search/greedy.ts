import type { Random } from '../../base/random.ts'
import type { EventId } from '../../schedule/problem.ts'
import { type EncoderTask, type Place, visitBackwardPlaces, visitEncodePlaces } from './insertion.ts'
import type { OrderState } from './order-state.ts'

/**
 * Puts a task where the longest path through it is least (ties at random), chunk by chunk; heads and tails are fresh
 * afterwards.
 */
export function placeTask(state: OrderState, task: EncoderTask, random: Random): void {
  let rank = -1
  for (const [chunk, encode] of task.encodes.entries()) {
    const place = bestEncodePlace(state, task, chunk, random)
    rank = place.rank
    state.insert(encode, place.after, rank)
    state.refresh()
  }
  for (const [chunk, backward] of task.backwards.entries()) {
    const { modes } = state.problem.events[backward]
    const home = modes.length > 1 ? rank : modes[0].rank
    state.insert(backward, bestBackwardPlace(state, task, chunk, home), home)
    state.refresh()
  }
}

/** Takes a task's events out; returns what `restoreTask` needs. Tasks are restored in reverse order of removal. */
export function removeTask(state: OrderState, task: EncoderTask): RemovedTask {
  const spots: Spot[] = []
  const take = (event: EventId) => {
    spots.push({ event, rank: state.rankOf[event], after: state.previous[event] })
    state.remove(event)
  }
  for (let index = task.backwards.length - 1; index >= 0; index--) take(task.backwards[index])
  for (let index = task.encodes.length - 1; index >= 0; index--) take(task.encodes[index])
  return spots
}

/** Puts a removed task back where it was. Heads and tails go stale. */
export function restoreTask(state: OrderState, spots: RemovedTask): void {
  for (let index = spots.length - 1; index >= 0; index--) {
    const { event, rank, after } = spots[index]
    state.insert(event, after, rank)
  }
}

/** Where the events of a task stood, in the order in which they were taken out. */
export type RemovedTask = readonly Spot[]

type Spot = { readonly event: EventId; readonly rank: number; readonly after: number }

function bestEncodePlace(state: OrderState, task: EncoderTask, chunk: number, random: Random): Place {
  let best: Place = { rank: -1, after: -1, path: Number.POSITIVE_INFINITY }
  let ties = 0
  visitEncodePlaces(state, task, chunk, (rank, after, path) => {
    if (path > best.path) return
    ties = path < best.path ? 1 : ties + 1
    if (ties === 1 || random() * ties < 1) best = { rank, after, path }
  })
  return best
}

function bestBackwardPlace(state: OrderState, task: EncoderTask, chunk: number, rank: number): number {
  let best = { after: -1, path: Number.POSITIVE_INFINITY }
  visitBackwardPlaces(state, task, chunk, rank, (after, path) => {
    if (path < best.path) best = { after, path }
  })
  return best.after
}
