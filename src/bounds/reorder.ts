import type { Tick } from '../schedule/measured.ts'
import type { Event, Kind, Mode, Problem } from '../schedule/problem.ts'

/**
 * A problem whose bounds hold for every injection order of the original: position k of the body order takes the least
 * that any microbatch could need there. Stage events take the shortest duration of their stage; encodes are dealt out
 * ascending (before position k the k+1 shortest are done at least), encoder backwards descending (after it the shortest
 * remain at least), of several items and chunks each among its like. Where some microbatches lack one, its ticks count as 0.
 */
export function anyInjection(problem: Problem): Problem {
  const shortest = shortestByStage(problem)
  const encodes = dealtOut(problem, 'E', (a, b) => a - b)
  const backwards = dealtOut(problem, 'EB', (a, b) => b - a)
  const ticksOf = ({ id, key }: Event): Tick | undefined => {
    switch (key.kind) {
      case 'E':
        return encodes.get(id)
      case 'EB':
        return backwards.get(id)
      case 'Broadcast':
      case 'Reduce':
        return undefined
      default:
        return shortest.get(`${key.kind}/${key.stage}`)
    }
  }
  const events = problem.events.map(event => {
    const ticks = ticksOf(event)
    return ticks === undefined
      ? event
      : { ...event, modes: event.modes.map((mode): Mode => ({ ...mode, duration: ticks })) }
  })
  return { ...problem, events }
}

function shortestByStage({ events }: Problem): Map<string, Tick> {
  const shortest = new Map<string, Tick>()
  for (const { key, modes } of events) {
    const group = `${key.kind}/${key.stage}`
    shortest.set(group, Math.min(shortest.get(group) ?? Number.POSITIVE_INFINITY, ...modes.map(mode => mode.duration)))
  }
  return shortest
}

function dealtOut(
  { events, microbatches }: Problem,
  kind: Kind,
  order: (a: number, b: number) => number
): Map<number, Tick> {
  const groups = new Map<string, Event[]>()
  for (const event of events) {
    if (event.key.kind !== kind) continue
    const part = `${event.key.item}/${event.key.chunk}`
    groups.set(part, [...(groups.get(part) ?? []), event])
  }
  return new Map(
    [...groups.values()].flatMap(own => {
      const sorted = own.map(event => Math.min(...event.modes.map(mode => mode.duration))).sort(order)
      return own.map((event, index) => [event.id, own.length === microbatches ? sorted[index] : 0] as const)
    })
  )
}
