import { groupBy } from '../base/arrays.ts'
import type { EventId, EventKey, Problem } from './problem.ts'

/** Name of the encoder task that an encode or encoder backward belongs to: its microbatch and item. */
export function taskName({ microbatch, item }: Pick<EventKey, 'microbatch' | 'item'>): string {
  return `${microbatch}/${item}`
}

/** The encodes of a problem by task, each task's chunks in the order in which they run; by name. */
export function encodesByTask({ events }: Problem): ReadonlyMap<string, readonly EventId[]> {
  const encodes = events.filter(event => event.key.kind === 'E').map(event => event.id)
  return groupBy(encodes, id => taskName(events[id].key))
}
