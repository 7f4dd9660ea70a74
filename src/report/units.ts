import type { Tick } from '../schedule/measured.ts'
import { type Scale, timeText } from './text/quantities.ts'

/** Ticks in the largest unit in which they are at least 1, e.g. `4.0695 s`. */
export function showTicks(ticks: Tick, scale: Scale): string {
  return timeText(ticks, scale)
}

/** A ratio as a percentage with one decimal, e.g. `30.6 %`. */
export function showPercent(ratio: number): string {
  return `${(100 * ratio).toFixed(1)} %`
}
