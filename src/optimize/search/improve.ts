import { type Random, randomBelow, sample } from '../../base/random.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { EventId } from '../../schedule/problem.ts'
import { placeTask, removeTask, restoreTask } from './greedy.ts'
import type { EncoderTask } from './insertion.ts'
import type { OrderState } from './order-state.ts'

/** What the search minimises: memory excess first (bytes, 0 where nothing is exceeded), then the makespan. */
export type Score = { readonly excess: number; readonly makespan: Tick }

/** Most tasks that one step takes out and puts back. */
const LARGEST_RUIN = 4

/** Share of steps that take out only tasks on a longest path, where there are any: nothing else shortens it. */
const CRITICAL_SHARE = 0.5

/** Share of the makespan that a step may be worse by and still be kept with probability 1/e. */
const TEMPERATURE = 0.0005

/**
 * One step of ruin and recreate: takes a few encoder tasks out, puts each back where the path through it is least, and
 * keeps the result when it is no worse (or, rarely, slightly worse). Returns the score that the state then has.
 */
export function improveStep(
  state: OrderState,
  tasks: readonly EncoderTask[],
  score: Score,
  scoreOf: (state: OrderState) => Score,
  random: Random
): Score {
  const critical = tasks.filter(task => isCritical(state, task))
  const pool = critical.length > 0 && random() < CRITICAL_SHARE ? critical : tasks
  const chosen = sample(random, pool, 1 + randomBelow(random, Math.min(LARGEST_RUIN, pool.length)))
  const removed = chosen.map(task => removeTask(state, task))
  state.refresh()
  for (const task of chosen) placeTask(state, task, random)
  if (state.acyclic) {
    const next = scoreOf(state)
    if (accept(score, next, random)) return next
  }
  for (const task of chosen) removeTask(state, task)
  for (const spot of removed.reverse()) restoreTask(state, spot)
  state.refresh()
  return score
}

function isCritical({ head, tail, makespan }: OrderState, { encodes, backwards }: EncoderTask): boolean {
  const onPath = (event: EventId) => head[event] + tail[event] === makespan
  return encodes.some(onPath) || backwards.some(onPath)
}

/** Whether a step from `now` to `next` is kept: less excess always, more never, a longer makespan by chance. */
export function accept(now: Score, next: Score, random: Random, temperature = TEMPERATURE): boolean {
  if (next.excess !== now.excess) return next.excess < now.excess
  const worse = next.makespan - now.makespan
  return worse <= 0 || random() < Math.exp(-worse / (now.makespan * temperature))
}
