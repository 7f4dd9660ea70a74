import type { Byte, Tick } from '../schedule/measured.ts'
import { type Scale, timeText } from './text/quantities.ts'

/** Ticks in the largest unit in which they are at least 1, e.g. `4.0695 s`. */
export function showTicks(ticks: Tick, scale: Scale): string {
  return timeText(ticks, scale)
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** Bytes with a decimal prefix and three significant digits, e.g. `12.3 GB`. */
export function showBytes(bytes: Byte): string {
  const power = bytes < 1000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const scaled = bytes / 1000 ** power
  return `${power === 0 ? scaled : scaled.toPrecision(3)} ${BYTE_UNITS[power]}`
}

/** A ratio as a percentage with one decimal, e.g. `30.6 %`. */
export function showPercent(ratio: number): string {
  return `${(100 * ratio).toFixed(1)} %`
}
