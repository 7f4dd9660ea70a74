import { range } from '../base/arrays.ts'
import { fail } from '../base/fault.ts'
import { indexEvents } from './body.ts'
import { compileGraph, durationOn } from './compile.ts'
import { partNames } from './label.ts'
import type { Tick } from './measured.ts'
import type { Problem, Schedule } from './problem.ts'
import { serveLinks, servesBefore, transferTicks } from './wire.ts'

/** Kinds of events that a timed schedule lists. */
export type TimedKind = 'F' | 'B' | 'I' | 'W' | 'E' | 'EB'

/** One timed event; `region` is its name, `stage` is absent for E and EB. Those say which item and chunk where there are several. */
export type TimedEvent = {
  readonly kind: TimedKind
  readonly region: string
  readonly stage?: number
  readonly microbatch: number
  readonly item?: number
  readonly chunk?: number
  readonly start: Tick
  readonly end: Tick
  /** It runs overlapped with the event beside it in the list that says the same: one F and one B, from start to end. */
  readonly overlapped?: true
}

/** Kinds of transfers: between stages forward and backward, encoder output to the first stage, its gradient back. */
export type TransferKind = 'send' | 'recvGrad' | 'gather' | 'scatter'

/** One timed transfer between two ranks. `stage` is the stage that sends; absent for a gather. */
export type TimedTransfer = {
  readonly kind: TransferKind
  readonly stage?: number
  readonly microbatch: number
  /** Of a gather or scatter, where microbatches have several encoder tasks. */
  readonly item?: number
  readonly from: number
  readonly to: number
  readonly start: Tick
  readonly end: Tick
}

/** `tropipe.schedule/1`: per rank the events in start order, in ticks. `instance` is the instance's hash. */
export type ScheduleDocument = {
  readonly format: 'tropipe.schedule/1'
  readonly instance: string
  readonly ranks: readonly (readonly TimedEvent[])[]
  readonly P: number
  readonly M: number
  readonly unit: string
  readonly ticksPerUnit: number
  readonly makespan: Tick
  /** In start order; listed where the communication model makes them wait. */
  readonly transfers?: readonly TimedTransfer[]
}

/** A schedule as the document that leaves the tool, and that the checker reads. */
export function toDocument(problem: Problem, schedule: Schedule): ScheduleDocument {
  const graph = compileGraph(problem)
  const paired = new Set(problem.fusable.flatMap(({ first, second }) => [first, second]))
  const partOf = partNames(problem)
  const ranks = range(problem.ranks).map(rank =>
    schedule.sequences[rank].map(id => {
      const { key } = problem.events[id]
      const { kind, region, stage, microbatch } = key
      const start = schedule.start[id]
      const end = start + durationOn(graph, id, rank)
      const head = { kind: kind as TimedKind, region: problem.regions[region].name }
      // Nearly all events are those of stages: they are written without detours.
      if (stage < 0) return { ...head, microbatch, ...partOf(key), start, end }
      if (!paired.has(id)) return { kind: head.kind, region: head.region, stage, microbatch, start, end }
      return { ...head, stage, microbatch, start, end, overlapped: true as const }
    })
  )
  return {
    format: 'tropipe.schedule/1',
    instance: problem.hash,
    P: problem.ranks,
    M: problem.microbatches,
    unit: problem.unit,
    ticksPerUnit: problem.ticksPerUnit,
    makespan: schedule.makespan,
    ranks,
    ...(schedule.transferStart ? { transfers: timedTransfers(problem, schedule, schedule.transferStart) } : {})
  }
}

function timedTransfers(problem: Problem, { rankOf }: Schedule, starts: Float64Array): TimedTransfer[] {
  const partOf = partNames(problem)
  return problem.edges
    .filter(edge => !Number.isNaN(starts[edge.id]))
    .sort((a, b) => starts[a.id] - starts[b.id] || servesBefore(problem, a.id, b.id) || a.id - b.id)
    .map(edge => {
      const { stage, microbatch } = problem.events[edge.from].key
      const { item } = { ...partOf(problem.events[edge.from].key), ...partOf(problem.events[edge.to].key) }
      const start = starts[edge.id]
      return {
        kind: edge.channel as TransferKind,
        ...(stage >= 0 ? { stage } : {}),
        microbatch,
        ...(item === undefined ? {} : { item }),
        from: rankOf[edge.from],
        to: rankOf[edge.to],
        start,
        end: start + transferTicks(problem, edge, rankOf)
      }
    })
}

/**
 * The schedule that a document states, on a problem of the same instance. Broadcast and reductions, which documents do not
 * list, start as early as they may. Nothing is checked but that the events exist: legality is the checker's.
 * @throws FaultError UNKNOWN_EVENT
 */
export function fromDocument(problem: Problem, document: ScheduleDocument): Schedule {
  const index = indexEvents(problem)
  const rankOf = new Int32Array(problem.events.length).map((_, id) => problem.events[id].modes[0].rank)
  const start = new Float64Array(problem.events.length)
  const sequences = document.ranks.map((events, rank) =>
    events.map(({ kind, stage = -1, microbatch, item, chunk, start: tick }, step) => {
      const id = index.find(kind, stage, microbatch, item, chunk)
      if (id === undefined) {
        const event = { kind, stage, microbatch, item, chunk }
        return fail(
          'UNKNOWN_EVENT',
          `ranks[${rank}][${step}]`,
          event,
          'the instance has no such event',
          'Run `tropipe prove`.'
        )
      }
      rankOf[id] = rank
      start[id] = tick
      return id
    })
  )
  placeLoose(problem, rankOf, start)
  const schedule = { sequences, rankOf, start, makespan: document.makespan }
  if (problem.communication === 'latency') return schedule
  const transferStart = document.transfers
    ? statedTransfers(problem, document.transfers)
    : serveLinks(problem, schedule)
  return { ...schedule, transferStart }
}

/** Starts of the transfers that a document lists, by edge id. */
function statedTransfers(problem: Problem, transfers: readonly TimedTransfer[]): Float64Array {
  const key = (kind: string, stage: number, microbatch: number, item: number) =>
    `${kind}/${stage}/${microbatch}/${item}`
  const stated = new Map(
    transfers.map(one => [key(one.kind, one.stage ?? -1, one.microbatch, one.item ?? 0), one.start])
  )
  return Float64Array.from(problem.edges, ({ from, to, channel }) => {
    const { stage, microbatch, item } = problem.events[from].key
    const task = channel === 'scatter' ? problem.events[to].key.item : item
    return (channel && stated.get(key(channel, stage, microbatch, task))) ?? Number.NaN
  })
}

/** Starts events beside the compute when all that they wait for has ended; they wait for compute events only. */
function placeLoose(problem: Problem, rankOf: Int32Array, start: Float64Array): void {
  const graph = compileGraph(problem)
  for (const { from, to } of problem.edges) {
    if (problem.events[to].occupies) continue
    start[to] = Math.max(start[to], start[from] + durationOn(graph, from, rankOf[from]))
  }
}
