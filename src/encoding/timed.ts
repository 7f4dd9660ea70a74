import { groupBy } from '../base/arrays.ts'
import type { Event, EventId, Problem, Schedule } from '../schedule/problem.ts'
import { type Analysis, entryOf } from './analysis.ts'
import { alikeOrder } from './groups/logic/no-overlap.ts'
import { isStage } from './renaming.ts'

/** When and where a model has the events of a schedule: start in units, and rank, by event. */
export type Timed = { readonly start: Float64Array; readonly rankOf: Int32Array }

/**
 * A schedule in a model's unit, rounded down. What starts whole units after something else still does, and what did not
 * overlap still does not, so rounding breaks no precedence and no memory.
 */
export function timedIn({ unit }: Analysis, { start, rankOf }: Schedule): Timed {
  return { start: start.map(tick => Math.floor(tick / unit)), rankOf }
}

/** Alike encodes (and alike encoder backwards) of each rank in the order that `alikeOrder` asks for: they trade starts. */
export function alikeAscending(analysis: Analysis, timed: Timed): Timed {
  const start = timed.start.slice()
  for (const events of groupBy(analysis.free, event => timed.rankOf[event]).values()) {
    for (const alike of alikeIn(analysis, events)) {
      const starts = alike.map(event => timed.start[event]).sort((a, b) => a - b)
      const ascending = [...alike].sort((a, b) => (alikeOrder(analysis, a, b) === 'before' ? -1 : 1))
      for (const [index, event] of ascending.entries()) start[event] = starts[index]
    }
  }
  return { ...timed, start }
}

/** Events grouped by who keeps an order with whom. */
function alikeIn(analysis: Analysis, events: readonly EventId[]): EventId[][] {
  const groups: EventId[][] = []
  for (const event of events) {
    const known = groups.find(([other]) => alikeOrder(analysis, other, event) !== undefined)
    if (known) known.push(event)
    else groups.push([event])
  }
  return groups
}

/**
 * How microbatches trade names. `whole`: each as one, by who enters first. `parts`: every kind and stage for itself by its
 * own starts, encodes with the forward that they feed, encoder backwards with the backward that they wait for. `stages`:
 * the same without encoder work.
 */
export type Trade = 'whole' | 'parts' | 'stages'

/** A schedule in which the names of every group of alike microbatches ascend, as models of interchangeable ones have them. */
export function namesAscending(problem: Problem, timed: Timed, trade: Trade): Timed {
  const [start, rankOf] = [timed.start.slice(), timed.rankOf.slice()]
  for (const group of problem.symmetric) {
    const members = new Set(group)
    const events = problem.events.filter(event => members.has(event.key.microbatch))
    for (const series of groupBy(events, seriesOf).values()) {
      if (trade === 'stages' && !isStage(series[0])) continue
      const named = [...series].sort((a, b) => a.key.microbatch - b.key.microbatch)
      const taken = [...named].sort((a, b) => leadOf(problem, timed, trade, a) - leadOf(problem, timed, trade, b))
      for (const [index, { id }] of named.entries()) {
        start[id] = timed.start[taken[index].id]
        rankOf[id] = timed.rankOf[taken[index].id]
      }
    }
  }
  return { start, rankOf }
}

/** What the events of alike microbatches that can stand for each other have in common. */
function seriesOf({ key }: Event): string {
  return [key.kind, key.region, key.stage, key.item, key.chunk, key.replica].join()
}

/** The start by which an event's microbatch is put in order. */
function leadOf(problem: Problem, { start }: Timed, trade: Trade, event: Event): number {
  const { forward, backward } = entryOf(problem, event.key.microbatch)
  const at = (lead: EventId | undefined) => (lead === undefined ? 0 : start[lead])
  if (trade === 'whole') return at(forward)
  return isStage(event) ? start[event.id] : at(event.key.kind === 'E' ? forward : backward)
}
