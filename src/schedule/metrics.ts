import { sum } from '../base/arrays.ts'
import type { ScheduleDocument, TimedEvent } from './document.ts'
import type { Tick } from './measured.ts'

/** Idle ticks of every rank inside [0, makespan] (P entries). */
export function idleTicks(document: ScheduleDocument): Tick[] {
  return document.ranks.map(events => document.makespan - sum(events.map(event => event.end - event.start)))
}

/** Bubble ratio: idle time inside [0, makespan] over all ranks / (P * makespan); 0 for makespan 0. */
export function bubbleRatio(document: ScheduleDocument): number {
  const area = document.ranks.length * document.makespan
  return area === 0 ? 0 : sum(idleTicks(document)) / area
}

/**
 * Peak of stage forwards whose own backward is still to end, at any point of one rank's order; it drives activation
 * memory. Forwards without a backward are never in flight; of a split backward, the input part ends the flight.
 */
export function peakInFlight(order: readonly Pick<TimedEvent, 'kind' | 'stage' | 'microbatch'>[]): number {
  const name = (event: Pick<TimedEvent, 'stage' | 'microbatch'>) => `${event.stage}/${event.microbatch}`
  const returns = (event: Pick<TimedEvent, 'kind'>) => event.kind === 'B' || event.kind === 'I'
  const returning = new Set(order.filter(returns).map(name))
  let [open, peak] = [0, 0]
  for (const event of order) {
    if (event.kind === 'F' && returning.has(name(event))) open++
    if (returns(event)) open--
    peak = Math.max(peak, open)
  }
  return peak
}
