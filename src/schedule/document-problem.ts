import { indexEvents } from './body.ts'
import { buildProblem } from './build.ts'
import type { ScheduleDocument, TimedEvent } from './document.ts'
import type { Measured } from './measured.ts'
import { withPairs } from './overlap.ts'
import type { EventId, Problem } from './problem.ts'

/** The problem that a schedule document is of: backwards in parts where it lists I, pairs overlapped where it says so. */
export function problemOfDocument(measured: Measured, document: ScheduleDocument): Problem {
  const events = document.ranks.flat()
  const parts = new Set(events.filter(event => event.kind === 'I').map(placeOf))
  const mixed = parts.size > 0 && events.some(event => event.kind === 'B')
  const split = mixed
    ? (stage: number, microbatch: number) => parts.has(placeOf({ stage, microbatch }))
    : parts.size > 0
  const problem = buildProblem(measured, { split })
  const { find } = indexEvents(problem)
  const pairs = document.ranks.flatMap(overlappedPairs).flatMap(pair => {
    const ids = pair.map(({ kind, stage = -1, microbatch }) => find(kind, stage, microbatch))
    return ids.every(id => id !== undefined) ? [ids as [EventId, EventId]] : []
  })
  return withPairs(problem, pairs, measured.overlap)
}

function placeOf({ stage, microbatch }: Pick<TimedEvent, 'stage' | 'microbatch'>): string {
  return `${stage}/${microbatch}`
}

/** The overlapped pairs of a rank's list, each in list order: neighbours that are both marked. */
export function overlappedPairs(events: readonly TimedEvent[]): (readonly [TimedEvent, TimedEvent])[] {
  const pairs: (readonly [TimedEvent, TimedEvent])[] = []
  for (let i = 1; i < events.length; i++)
    if (events[i - 1].overlapped && events[i].overlapped) {
      pairs.push([events[i - 1], events[i]])
      i++
    }
  return pairs
}
