import { maximum, sum } from '../base/arrays.ts'
import type { ScheduleDocument } from './document.ts'
import type { Tick } from './measured.ts'
import type { Kind } from './problem.ts'

/** Ticks during which at least one of a rank's events runs, given in start order: an overlapped pair counts once. */
export function occupiedTicks(events: readonly { readonly start: Tick; readonly end: Tick }[]): Tick {
  let [busy, until] = [0, 0]
  for (const { start, end } of events) {
    busy += Math.max(0, end - Math.max(start, until))
    until = Math.max(until, end)
  }
  return busy
}

/** Idle ticks of every rank inside [0, makespan] (P entries). */
export function idleTicks(document: ScheduleDocument): Tick[] {
  return busyTicks(document).map(busy => document.makespan - busy)
}

/** Bubble ratio: idle time inside [0, makespan] over all ranks / (P * makespan); 0 for makespan 0. */
export function bubbleRatio(document: ScheduleDocument): number {
  const area = document.ranks.length * document.makespan
  return area === 0 ? 0 : sum(idleTicks(document)) / area
}

/** Busy ticks of every rank (P entries). */
export function busyTicks(document: ScheduleDocument): Tick[] {
  return document.ranks.map(occupiedTicks)
}

/** Bubble over work: idle time inside [0, makespan] over all ranks / total work; 0 without work. */
export function bubbleOverWork(document: ScheduleDocument): number {
  const work = sum(busyTicks(document))
  return work === 0 ? 0 : sum(idleTicks(document)) / work
}

/** Span: the longest time from a rank's first start to its last end. What counts where ranks need no barrier. */
export function spanTicks(document: ScheduleDocument): Tick {
  const spans = document.ranks.map(events =>
    events.length === 0 ? 0 : maximum(events.map(event => event.end)) - events[0].start
  )
  return maximum(spans)
}

/**
 * MFU-like utilisation: the work that the step needs / (P * makespan). What is computed again (`recomputed` ticks) is not
 * needed work; an overlapped pair counts for the time that it takes. Times the utilisation inside an event, this is model FLOPs utilisation.
 */
export function utilisation(document: ScheduleDocument, recomputed: Tick): number {
  const area = document.ranks.length * document.makespan
  return area === 0 ? 0 : (sum(busyTicks(document)) - recomputed) / area
}

/** An event of an order, as far as flights go; E and EB have no stage. */
type Step = { readonly kind: Kind; readonly stage?: number; readonly microbatch: number }

/**
 * Peak of stage forwards whose own backward is still to end, at any point of one rank's order; it drives activation
 * memory. Forwards without a backward are never in flight; of a split backward, the input part ends the flight.
 */
export function peakInFlight(order: readonly Step[]): number {
  const name = (event: Step) => `${event.stage}/${event.microbatch}`
  const returns = (event: Step) => event.kind === 'B' || event.kind === 'I'
  const returning = new Set(order.filter(returns).map(name))
  let [open, peak] = [0, 0]
  for (const event of order) {
    if (event.kind === 'F' && returning.has(name(event))) open++
    if (returns(event)) open--
    peak = Math.max(peak, open)
  }
  return peak
}
