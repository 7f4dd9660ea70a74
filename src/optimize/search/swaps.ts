import { type Random, randomBelow } from '../../base/random.ts'
import type { EventId } from '../../schedule/problem.ts'
import { accept, type Score } from './improve.ts'
import type { OrderState } from './order-state.ts'

/** Longest jump of one event within its rank's order. */
const LONGEST_JUMP = 4

/**
 * One step over full orders: takes a random pair of neighbours on a longest path and moves the later one a few places
 * ahead of the earlier. Only such moves can shorten the makespan. Returns the score that the state then has.
 */
export function swapStep(
  state: OrderState,
  score: Score,
  scoreOf: (state: OrderState) => Score,
  random: Random,
  temperature: number
): Score {
  const event = criticalSuccessor(state, random)
  if (event < 0) return score
  const { previous } = state
  const rank = state.rankOf[event]
  const back = previous[event]
  let after = previous[back]
  for (let jump = randomBelow(random, LONGEST_JUMP); jump > 0 && after < state.graph.numEvents; jump--)
    after = previous[after]
  state.remove(event)
  state.insert(event, after, rank)
  state.refresh()
  if (state.acyclic) {
    const next = scoreOf(state)
    if (accept(score, next, random, temperature)) return next
  }
  state.remove(event)
  state.insert(event, back, rank)
  state.refresh()
  return score
}

/** A random event that lies on a longest path right behind its rank's previous event; -1 where there is none. */
function criticalSuccessor(state: OrderState, random: Random): EventId {
  const { head, tail, previous, makespan, rankOf } = state
  const { numEvents } = state.graph
  let chosen = -1
  let seen = 0
  for (let event = 0; event < numEvents; event++) {
    if (head[event] + tail[event] !== makespan || !state.isListed(event)) continue
    const before = previous[event]
    if (before >= numEvents || head[before] + tail[before] !== makespan) continue
    if (head[before] + state.durationOn(before, rankOf[before]) !== head[event]) continue
    seen++
    if (random() * seen < 1) chosen = event
  }
  return chosen
}
