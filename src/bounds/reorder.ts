import type { Tick } from '../schedule/measured.ts'
import type { Event, Kind, Mode, Problem } from '../schedule/problem.ts'

/**
 * A problem whose bounds hold for every injection order of the original: position k of the body order takes the least
 * that any microbatch could need there. Stage events take the shortest duration of their stage; encodes are dealt out
 * ascending (before position k the k+1 shortest are done at least), encoder backwards descending (after it the shortest
 * remain at least), of several items and chunks each among its like. Where some microbatches lack one, its ticks count
 * as 0. A Sharded stage that some microbatches skip has events at other positions in other orders: there they take
 * nothing, and nothing waits for them.
 */
export function anyInjection(problem: Problem): Problem {
  const shortest = shortestByStage(problem)
  const skipped = skippedStages(problem)
  const floats = ({ key }: Event): boolean => skipped.has(key.stage)
  const encodes = dealtOut(problem, 'E', (a, b) => a - b)
  const backwards = dealtOut(problem, 'EB', (a, b) => b - a)
  const ticksOf = (event: Event): Tick | undefined => {
    const { id, key } = event
    if (floats(event)) return 0
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
  const edges = problem.edges.filter(edge => !floats(problem.events[edge.from]) && !floats(problem.events[edge.to]))
  return { ...problem, events, edges }
}

/** Stages that do not run every microbatch. */
function skippedStages({ events, microbatches }: Problem): Set<number> {
  const runs = new Map<number, number>()
  for (const { key } of events)
    if (key.kind === 'F' && key.stage >= 0) runs.set(key.stage, (runs.get(key.stage) ?? 0) + 1)
  return new Set([...runs].filter(([, count]) => count < microbatches).map(([stage]) => stage))
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
