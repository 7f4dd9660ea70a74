import type { Event, EventId, Kind, Problem } from '../schedule/problem.ts'
import type { Encoded } from './encoded.ts'
import type { Model } from './model/types.ts'

const STAGE_KINDS: readonly Kind[] = ['F', 'B', 'I', 'W']

/** Whether an event belongs to a stage: what models by position of entry rename. */
export function isStage(event: Event): boolean {
  return STAGE_KINDS.includes(event.key.kind)
}

/**
 * A model by positions of entry with the way back to the original's names: `namesOf` tells which microbatch takes each
 * position (M entries). Events beyond the original's are the model's own and are left out.
 */
export function renamed<M extends Model>(
  original: Problem,
  encoded: Encoded<M>,
  namesOf: (values: ArrayLike<number>) => readonly number[]
): Encoded<M> {
  const { starts, transferStarts } = encoded
  const events = (values: ArrayLike<number>) => eventNames(original, namesOf(values))
  return {
    ...encoded,
    decode: values => {
      const names = events(values)
      return encoded.decode(values).map(sequence => sequence.map(event => names[event]))
    },
    ...(starts ? { starts: values => moved(starts(values), events(values)) } : {}),
    ...(transferStarts
      ? { transferStarts: values => moved(transferStarts(values), edgeNames(original, events(values))) }
      : {})
  }
}

/** What each event of the model is in the original. */
function eventNames({ events }: Problem, names: readonly number[]): Int32Array {
  const key = ({ kind, stage, replica }: Event['key'], microbatch: number) => [kind, stage, replica, microbatch].join()
  const ids = new Map(events.filter(isStage).map(event => [key(event.key, event.key.microbatch), event.id]))
  return Int32Array.from(events, event =>
    isStage(event) ? (ids.get(key(event.key, names[event.key.microbatch])) as EventId) : event.id
  )
}

/** What each edge of the model is in the original: between stages the edge of the renamed ends, else the same one. */
function edgeNames({ events, edges }: Problem, names: Int32Array): Int32Array {
  const key = (from: EventId, to: EventId) => `${from} ${to}`
  const ids = new Map(edges.map(edge => [key(edge.from, edge.to), edge.id]))
  return Int32Array.from(edges, ({ id, from, to }) =>
    isStage(events[from]) && isStage(events[to]) ? (ids.get(key(names[from], names[to])) as number) : id
  )
}

function moved(values: Float64Array, names: Int32Array): Float64Array {
  const result = new Float64Array(names.length)
  for (const [index, name] of names.entries()) result[name] = values[index]
  return result
}
