import { compileGraph, durationOn } from './compile.ts'
import type { EventId, Problem, Schedule } from './problem.ts'
import { arrivalTick } from './wire.ts'

/**
 * A chain of events, first to last, each of which starts exactly when the one before it (plus the lag between them)
 * allows; the last one ends at the makespan. It begins at an event that nothing holds back: at tick 0, at a release
 * (broadcast), or where the schedule delays an event on purpose. Where several events are tight, the one on the same
 * rank is taken, then the lowest id.
 */
export function criticalPath(problem: Problem, schedule: Schedule): EventId[] {
  const ends = endTicks(problem, schedule)
  const last = problem.events.find(event => ends[event.id] === schedule.makespan)
  if (!last) return []
  const before = tightPredecessors(problem, schedule, ends)
  const path = [last.id]
  const seen = new Set(path)
  for (let event = before[last.id]; event >= 0 && !seen.has(event); event = before[event]) {
    path.push(event)
    seen.add(event)
  }
  return path.reverse()
}

/** End tick of every event (by id) on the rank that the schedule chose. */
export function endTicks(problem: Problem, schedule: Schedule): Float64Array {
  const graph = compileGraph(problem)
  return Float64Array.from(schedule.start, (start, event) => start + durationOn(graph, event, schedule.rankOf[event]))
}

/** Per event one predecessor whose end, plus lag, is its start; -1 where there is none. */
function tightPredecessors(problem: Problem, schedule: Schedule, ends: Float64Array): Int32Array {
  const before = new Int32Array(problem.events.length).fill(-1)
  const { start, rankOf } = schedule
  for (const edge of problem.edges) {
    const { from, to } = edge
    if (
      arrivalTick(problem, schedule, edge, ends[from]) === start[to] &&
      start[to] > 0 &&
      (before[to] < 0 || rankOf[from] === rankOf[to])
    )
      before[to] = from
  }
  for (const sequence of schedule.sequences) {
    for (let i = 1; i < sequence.length; i++) {
      if (ends[sequence[i - 1]] === start[sequence[i]] && start[sequence[i]] > 0) before[sequence[i]] = sequence[i - 1]
    }
  }
  // A pair starts as one: what holds back the first holds back the second.
  for (const { first, second } of problem.fusable) {
    if (before[second] < 0) before[second] = before[first]
    if (before[first] < 0) before[first] = before[second]
  }
  return before
}
