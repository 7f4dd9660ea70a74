import type { Byte } from '../../schedule/measured.ts'
import type { Problem } from '../../schedule/problem.ts'
import type { OrderState } from './order-state.ts'

/**
 * Memory by counting along each rank's order: bytes that an event takes when it starts and gives back when it ends. Exact
 * for holds that begin and end with events of one rank; holds that wait for an arrival are left to the checker.
 */
export type OrderMemory = { readonly takes: Float64Array; readonly gives: Float64Array; readonly limited: boolean }

/** The counting tables of a problem. */
export function orderMemory(problem: Problem): OrderMemory {
  const takes = new Float64Array(problem.events.length)
  const gives = new Float64Array(problem.events.length)
  for (const { from, until, bytes } of problem.holds) {
    if (from.at !== 'start' || until.at !== 'end' || from.arrival !== undefined || until.arrival !== undefined) continue
    takes[from.event] += bytes
    gives[until.event] += bytes
  }
  return { takes, gives, limited: problem.capacity.some(limit => limit !== undefined) }
}

/** Bytes by which the ranks' peaks exceed their capacities together; 0 where all fit. */
export function excessOf({ takes, gives, limited }: OrderMemory, state: OrderState): Byte {
  if (!limited) return 0
  const { problem, next } = state
  let excess = 0
  for (let rank = 0; rank < problem.ranks; rank++) {
    const capacity = problem.capacity[rank]
    if (capacity === undefined) continue
    let bytes = problem.fixed[rank]
    let peak = bytes
    const end = state.endOf(rank)
    for (let event = next[end]; event !== end; event = next[event]) {
      bytes += takes[event]
      if (bytes > peak) peak = bytes
      bytes -= gives[event]
    }
    excess += Math.max(0, peak - capacity)
  }
  return excess
}
