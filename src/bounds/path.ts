import type { Bound, BoundTerm } from '../schedule/certificate.ts'
import { eventLabel } from '../schedule/label.ts'
import type { EventId } from '../schedule/problem.ts'
import type { Frame } from './frame.ts'

/**
 * Critical path: the longest chain of dependencies and fixed body order, encoder work free of any rank. Terms: the
 * chain's events with their durations, and the lags and waits between them.
 */
export function pathBound(frame: Frame): Bound {
  if (frame.head.length === 0) return { kind: 'bound', name: 'critical-path', ticks: 0, terms: [] }
  let best = 0
  for (let event = 1; event < frame.head.length; event++) {
    if (frame.head[event] + frame.tail[event] > frame.head[best] + frame.tail[best]) best = event
  }
  const chain: EventId[] = []
  for (let event = best; event >= 0; event = frame.before[event]) chain.unshift(event)
  for (let event = frame.after[best]; event >= 0; event = frame.after[event]) chain.push(event)
  const total = frame.head[best] + frame.tail[best]
  const turn = chain.indexOf(best)
  const terms: BoundTerm[] = []
  let reached = 0
  for (const [index, event] of chain.entries()) {
    const start = index <= turn ? frame.head[event] : total - frame.tail[event]
    if (start > reached) terms.push({ label: 'lag', ticks: start - reached, events: [event] })
    terms.push({ label: eventLabel(frame.problem, event), ticks: frame.duration[event], events: [event] })
    reached = start + frame.duration[event]
  }
  return { kind: 'bound', name: 'critical-path', ticks: total, terms }
}
