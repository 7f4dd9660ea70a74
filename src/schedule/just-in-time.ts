import { compileGraph, durationOn } from './compile.ts'
import type { EventId, Problem, Schedule } from './problem.ts'

/**
 * Delays every encode as far as what follows it allows, nothing else moved: features arrive just in time, so the first
 * rank holds fewer of them. Same order, same makespan.
 */
export function delayEncodes(problem: Problem, schedule: Schedule): Schedule {
  const graph = compileGraph(problem)
  const start = schedule.start.slice()
  const latest = new Float64Array(problem.events.length).fill(Number.POSITIVE_INFINITY)
  for (const edge of problem.edges) {
    // What follows a chunk on its rank keeps the next chunk behind it.
    if (problem.events[edge.from].key.kind !== 'E' || edge.channel === 'handoff') continue
    const lag =
      edge.lag < 0 ? 0 : problem.lags[edge.lag][schedule.rankOf[edge.from] * problem.ranks + schedule.rankOf[edge.to]]
    latest[edge.from] = Math.min(latest[edge.from], schedule.start[edge.to] - lag)
  }
  for (const sequence of schedule.sequences) {
    let following = Number.POSITIVE_INFINITY
    for (const event of [...sequence].reverse()) {
      const end = Math.min(following, latest[event])
      if (isEncode(problem, event) && end < Number.POSITIVE_INFINITY)
        start[event] = end - durationOn(graph, event, schedule.rankOf[event])
      following = start[event]
    }
  }
  return { ...schedule, start }
}

function isEncode(problem: Problem, event: EventId): boolean {
  return problem.events[event].key.kind === 'E'
}
