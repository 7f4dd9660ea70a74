import { range, sum } from '../base/arrays.ts'
import type { Bound } from '../schedule/certificate.ts'
import type { Event, EventId } from '../schedule/problem.ts'
import type { Frame } from './frame.ts'

/**
 * Load of all ranks together, spread evenly, with the time that no rank can use: before the least head and after the
 * least rest of anything that may run on it.
 */
export function totalLoadBound(frame: Frame): Bound {
  const { problem, head, tail, duration } = frame
  const events: EventId[] = []
  let work = 0
  const first = new Float64Array(problem.ranks).fill(Number.POSITIVE_INFINITY)
  const rest = new Float64Array(problem.ranks).fill(Number.POSITIVE_INFINITY)
  for (const { id, modes, occupies } of problem.events) {
    if (!occupies) continue
    events.push(id)
    work += duration[id]
    const after = tail[id] - duration[id]
    for (const { rank } of modes) {
      if (head[id] < first[rank]) first[rank] = head[id]
      if (after < rest[rank]) rest[rank] = after
    }
  }
  const lost = range(problem.ranks).map(rank => (first[rank] < Number.POSITIVE_INFINITY ? first[rank] + rest[rank] : 0))
  return {
    kind: 'bound',
    name: 'total-load',
    ticks: Math.ceil((work + sum(lost)) / problem.ranks),
    terms: [
      {
        label: `compute of all ranks, shared by ${problem.ranks}`,
        ticks: work,
        events
      },
      ...lost.map((ticks, rank) => ({ label: `rank ${rank} cannot use`, ticks, events: [] }))
    ]
  }
}

/** Load of the busiest rank: its own fixed work, after the least head and before the least tail of that work. */
export function rankLoadBound(frame: Frame): Bound {
  const { problem, head, tail, duration } = frame
  const ownOf: Event[][] = range(problem.ranks).map(() => [])
  for (const event of problem.events)
    if (event.occupies && event.modes.length === 1) ownOf[event.modes[0].rank].push(event)
  const loads = ownOf.map(own => {
    const first = own.length === 0 ? 0 : Math.min(...own.map(event => head[event.id]))
    const last = own.length === 0 ? 0 : Math.min(...own.map(event => tail[event.id] - duration[event.id]))
    return { own, first, last, ticks: first + sum(own.map(event => duration[event.id])) + last }
  })
  const rank = loads.reduce((best, load, index) => (load.ticks > loads[best].ticks ? index : best), 0)
  const { own, first, last, ticks } = loads[rank]
  const terms = [
    { label: `rank ${rank} waits`, ticks: first, events: [] },
    { label: `rank ${rank} computes`, ticks: ticks - first - last, events: own.map(event => event.id) },
    { label: `work after rank ${rank}`, ticks: last, events: [] }
  ]
  return { kind: 'bound', name: 'rank-load', ticks, terms }
}
