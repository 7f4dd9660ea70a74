import { maximum } from '../base/arrays.ts'
import type { ScheduleDocument, TimedEvent, TimedKind } from '../schedule/document.ts'
import { shortName } from '../schedule/label.ts'
import { refuse, type Writer } from './types.ts'

/**
 * Chrome trace JSON for ui.perfetto.dev: one process per rank, compute and encoder on tracks of their own, bubbles on a
 * third, arrows along the pipeline, and the number of activations in flight as a counter. Times in microseconds.
 */
export const perfettoWriter: Writer = {
  id: 'perfetto',
  title: 'trace JSON for ui.perfetto.dev (Chrome trace format)',
  runs: false,
  write: ({ document }) => {
    if (!document)
      return refuse(
        'NEEDS_TIMES',
        '',
        undefined,
        'the order has no times',
        'Give the instance that it is for, so that it can be timed.'
      )
    const scale = MICROSECONDS[document.unit]
    const notes =
      scale === undefined ? [`The unit "${document.unit}" is no time: one tick is shown as one microsecond.`] : []
    return {
      ok: true,
      files: [{ suffix: '', text: traceText(document, (scale ?? document.ticksPerUnit) / document.ticksPerUnit) }],
      notes
    }
  }
}

const MICROSECONDS: Readonly<Record<string, number>> = { ns: 0.001, us: 1, ms: 1000, s: 1_000_000 }
const CATEGORY: Readonly<Record<TimedKind, string>> = { F: 'fwd', B: 'bwd', I: 'bwd', W: 'wgrad', E: 'enc', EB: 'enc' }
const TRACKS = { compute: 1, encoder: 4, bubble: 5 } as const

type TraceEvent = Readonly<Record<string, unknown>> & { readonly ts?: number }

function traceText(document: ScheduleDocument, perTick: number): string {
  const us = (ticks: number) => Number((ticks * perTick).toFixed(6))
  const timed = [...slices(document, us), ...bubbles(document, us), ...flows(document, us), ...counters(document, us)]
  timed.sort((a, b) => (a.ts ?? 0) - (b.ts ?? 0))
  const events = [...names(document), ...timed].map(event => `    ${JSON.stringify(event)}`)
  return `{\n  "displayTimeUnit": "ms",\n  "traceEvents": [\n${events.join(',\n')}\n  ]\n}\n`
}

function names(document: ScheduleDocument): TraceEvent[] {
  return document.ranks.flatMap((_, rank) => {
    const pid = rank + 1
    const meta = (name: string, args: object, tid = 0): TraceEvent => ({ ph: 'M', name, pid, tid, args })
    return [
      meta('process_name', { name: `rank ${rank}` }),
      meta('process_sort_index', { sort_index: rank }),
      ...Object.entries(TRACKS).map(([name, tid]) => meta('thread_name', { name }, tid))
    ]
  })
}

function trackOf({ kind }: TimedEvent): number {
  return kind === 'E' || kind === 'EB' ? TRACKS.encoder : TRACKS.compute
}

function slices(document: ScheduleDocument, us: (ticks: number) => number): TraceEvent[] {
  return document.ranks.flatMap((events, rank) =>
    events.map(event => {
      const { kind, stage, microbatch, item, chunk, start, end, region } = event
      const place = stage === undefined ? {} : { stage }
      const part = { ...(item === undefined ? {} : { item }), ...(chunk === undefined ? {} : { chunk }) }
      const args = { rank, ...place, microbatch, ...part, op: kind, region, start, end }
      const at = { ts: us(start), dur: us(end - start), pid: rank + 1, tid: trackOf(event) }
      return { ph: 'X', name: shortName(event), cat: CATEGORY[kind], ...at, args }
    })
  )
}

/** Idle time of each rank up to the makespan. */
function bubbles(document: ScheduleDocument, us: (ticks: number) => number): TraceEvent[] {
  return document.ranks.flatMap((events, rank) => {
    const out: TraceEvent[] = []
    let free = 0
    for (const { start, end } of [...events, { start: document.makespan, end: document.makespan }]) {
      if (start > free) {
        const args = { rank, start: free, end: start }
        out.push({
          ph: 'X',
          name: 'bubble',
          cat: 'bubble',
          ts: us(free),
          dur: us(start - free),
          pid: rank + 1,
          tid: TRACKS.bubble,
          args
        })
      }
      free = Math.max(free, end)
    }
    return out
  })
}

type Placed = { readonly event: TimedEvent; readonly rank: number }

/** An arrow wherever one rank's result is the input of another rank's event; both ends lie inside their slices. */
function flows(document: ScheduleDocument, us: (ticks: number) => number): TraceEvent[] {
  const placed = new Map<string, Placed[]>()
  for (const [rank, events] of document.ranks.entries()) {
    for (const event of events) {
      const key = `${event.kind}/${event.stage ?? -1}/${event.microbatch}`
      placed.set(key, [...(placed.get(key) ?? []), { event, rank }])
    }
  }
  const chunks = maximum(document.ranks.flat().map(event => event.chunk ?? 0))
  const stages =
    1 +
    maximum(
      document.ranks.flat().map(event => event.stage ?? -1),
      -1
    )
  let id = 0
  const pairs = [...placed.values()].flat().flatMap(target => {
    const found = sourcesOf(target.event, stages).map(key => placed.get(key))
    // What leaves an encoder task, or comes back to it, does so at its last chunk.
    const sources = (found.find(list => list !== undefined) ?? []).filter(({ event }) => isLast(event, chunks))
    return isLast(target.event, chunks) ? sources.map(source => ({ source, ...target })) : []
  })
  return pairs.flatMap(({ source, event, rank }): TraceEvent[] => {
    if (source.rank === rank || source.event.end === source.event.start || event.end === event.start) return []
    id++
    const common = { name: 'transfer', cat: 'comm', id }
    const from = {
      ts: us((source.event.start + source.event.end) / 2),
      pid: source.rank + 1,
      tid: trackOf(source.event)
    }
    const to = { ts: us(event.start), pid: rank + 1, tid: trackOf(event) }
    return [
      { ph: 's', ...common, ...from },
      { ph: 'f', bp: 'e', ...common, ...to }
    ]
  })
}

function isLast({ kind, chunk = 0 }: TimedEvent, chunks: number): boolean {
  return (kind !== 'E' && kind !== 'EB') || chunk === chunks
}

/** Names of what an event's input may come from; the first one that exists counts. */
function sourcesOf({ kind, stage = -1, microbatch }: TimedEvent, stages: number): string[] {
  const key = (from: TimedKind, at: number) => `${from}/${at}/${microbatch}`
  if (kind === 'F') return [key(stage === 0 ? 'E' : 'F', stage - 1)]
  if (kind === 'EB') return [key('B', 0), key('I', 0)]
  return (kind === 'B' || kind === 'I') && stage < stages - 1 ? [key('B', stage + 1), key('I', stage + 1)] : []
}

/** Per rank, how many forwards (with a backward to come) have started and not yet been backpropagated. */
function counters(document: ScheduleDocument, us: (ticks: number) => number): TraceEvent[] {
  return document.ranks.flatMap((events, rank) => {
    const name = ({ stage, microbatch }: TimedEvent) => `${stage}/${microbatch}`
    const backwards = new Set(events.filter(({ kind }) => kind === 'B' || kind === 'I').map(name))
    const changes = new Map<number, number>([[0, 0]])
    const add = (at: number, by: number) => changes.set(at, (changes.get(at) ?? 0) + by)
    for (const event of events) {
      if (event.kind === 'F' && backwards.has(name(event))) add(event.start, 1)
      if (event.kind === 'B' || event.kind === 'I') add(event.end, -1)
    }
    let value = 0
    return [...changes]
      .sort(([a], [b]) => a - b)
      .map(([at, by]) => {
        value += by
        return { ph: 'C', name: 'activations in flight', ts: us(at), pid: rank + 1, args: { value } }
      })
  })
}
