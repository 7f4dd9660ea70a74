import type { TimedEvent } from '../schedule/document.ts'
import { partWords } from '../schedule/label.ts'

/** Legality codes of one timed schedule, in the order of first match (spec section 5). */
export const CODES = [
  'UNKNOWN_EVENT',
  'FOOTPRINT',
  'DUPLICATE_EVENT',
  'MISSING_EVENT',
  'WRONG_RANK',
  'DURATION',
  'ORDER',
  'OVERLAP',
  'PRECEDENCE',
  'MEMORY',
  'BARRIER'
] as const

export type Code = (typeof CODES)[number]

/** An event as a message names it; one that is missing has no times. */
export type NamedEvent = Omit<TimedEvent, 'start' | 'end'> & { readonly start?: number; readonly end?: number }

/** An event at its place in the document: `step` is its index in the list of its rank. */
export type Place = { readonly rank: number; readonly step: number; readonly event: TimedEvent }

/** One reason why a schedule is not legal. `other` is the event that it disagrees with; ticks throughout. */
export type Violation = {
  readonly code: Code
  readonly rank?: number
  /** Index in the list of `rank`. */
  readonly step?: number
  readonly event?: NamedEvent
  readonly other?: Place
  readonly message: string
  /** One line that says what to change. */
  readonly advice: string
}

/** `B(stage 2, microbatch 5)`; E and EB have no stage, but may be one of several: `E(microbatch 5, item 1, chunk 0)`. */
export function eventName(event: NamedEvent): string {
  const place = event.stage === undefined ? '' : `stage ${event.stage}, `
  return `${event.kind}(${place}microbatch ${event.microbatch}${partWords(event)})`
}

/** `B(stage 2, microbatch 5) [30, 50)`, without times where the event has none. */
export function eventWithTimes(event: NamedEvent): string {
  return event.start === undefined ? eventName(event) : `${eventName(event)} [${event.start}, ${event.end})`
}
