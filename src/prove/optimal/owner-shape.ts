import { transposeSequences } from '../../heuristics/transpose.ts'
import { indexEvents } from '../../schedule/body.ts'
import { buildProblem } from '../../schedule/build.ts'
import { compileGraph, durationOn } from '../../schedule/compile.ts'
import { fromDocument, type ScheduleDocument } from '../../schedule/document.ts'
import type { Measured } from '../../schedule/measured.ts'
import type { EventId } from '../../schedule/problem.ts'
import { eventWithTimes, type Place, type Violation } from '../../verify/violation.ts'

/**
 * ORDER where a schedule leaves the shape that `owner` fixes besides the body: encodes ascending before it, their backwards
 * ascending after it (under `first-rank` directly behind the first stage's). One per rank. Takes schedules that are legal
 * otherwise.
 */
export function ownerShapeViolations(measured: Measured, document: ScheduleDocument): Violation[] {
  const problem = buildProblem(measured)
  const { find } = indexEvents(problem)
  const { sequences, start, rankOf } = fromDocument(problem, document)
  const wanted = transposeSequences(measured, problem, (m, item) => ({
    rank: rankOf[find('E', -1, m, item) as EventId],
    at: 'prefix'
  }))
  const graph = compileGraph(problem)
  return wanted.flatMap((events, rank) => {
    const place = (id: EventId): Place => {
      const step = sequences[rank].indexOf(id)
      return { rank, step, event: document.ranks[rank][step] }
    }
    const late = events.findIndex((id, index) => {
      const before = events[index - 1]
      return before !== undefined && start[before] + durationOn(graph, before, rank) > start[id]
    })
    if (late < 0) return []
    const [other, early] = [place(events[late - 1]), place(events[late])]
    const message = `${eventWithTimes(early.event)} comes before ${eventWithTimes(other.event)}, which problem owner puts ahead of it`
    const advice =
      'Run encodes before the body and their backwards after it, each ascending; or claim problem placement.'
    return [{ code: 'ORDER', ...early, other, message, advice }]
  })
}
