import { range, sum } from '../../base/arrays.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { FramedEvent, RecheckFrame } from './frame.ts'

/** A transfer between stages on two ranks, with the events at its ends. */
type Moved = {
  readonly producer: FramedEvent
  readonly consumer: FramedEvent
  readonly from: number
  readonly to: number
}

/** Activations down and gradients up, between neighbouring stages on different ranks. */
function stageTransfers({ events }: RecheckFrame): Moved[] {
  const named = new Map(events.map(event => [`${isForward(event)}/${event.stage}/${event.microbatch}`, event]))
  return events.flatMap(producer => {
    if (producer.stage < 0 || producer.kind === 'W') return []
    const next = producer.stage + (isForward(producer) ? 1 : -1)
    const consumer = named.get(`${isForward(producer)}/${next}/${producer.microbatch}`)
    if (!consumer || next < 0 || producer.rank === undefined || consumer.rank === undefined) return []
    return producer.rank === consumer.rank ? [] : [{ producer, consumer, from: producer.rank, to: consumer.rank }]
  })
}

function isForward({ kind }: FramedEvent): boolean | 'weight' {
  return kind === 'W' || kind === 'EB' || kind === 'E' ? 'weight' : kind === 'F'
}

/** Per link: its transfers one after the other, after the first can be ready, before the least that follows one. 0 unless links queue. */
export function linkLoads(frame: RecheckFrame): Tick[] {
  const { model, send } = frame.rules.measured.communication
  if (model !== 'link' || send === 0) return [0]
  const moved = stageTransfers(frame)
  const links = new Map(moved.map(({ from, to }) => [`${from}/${to}`, { from, to }]))
  return [...links.values()].map(({ from, to }) => {
    const here = moved.filter(other => other.from === from && other.to === to)
    const ready = Math.min(...here.map(({ producer }) => producer.head + producer.ticks))
    return ready + here.length * send + Math.min(...here.map(({ consumer }) => consumer.tail))
  })
}

/** Per rank: what it computes, sends and receives, one after the other. 0 unless transfers block. */
export function blockedLoads(frame: RecheckFrame): Tick[] {
  const { model, send } = frame.rules.measured.communication
  if (model !== 'blocking') return [0]
  const moved = send === 0 ? [] : stageTransfers(frame)
  return range(frame.rules.measured.ranks).map(rank => {
    const own = frame.events.filter(event => event.rank === rank)
    const here = moved.filter(({ from, to }) => from === rank || to === rank)
    if (own.length === 0) return 0
    const first = Math.min(
      ...own.map(event => event.head),
      ...here.map(({ producer }) => producer.head + producer.ticks)
    )
    const last = Math.min(...own.map(event => event.tail - event.ticks), ...here.map(({ consumer }) => consumer.tail))
    return first + sum(own.map(event => event.ticks)) + here.length * send + last
  })
}
