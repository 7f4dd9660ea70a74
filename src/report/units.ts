import type { Byte, Tick } from '../schedule/measured.ts'

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 })

/** Ticks in the instance's unit, e.g. `1,234.5 us`. */
export function showTicks(ticks: Tick, scale: { readonly unit: string; readonly ticksPerUnit: number }): string {
  return `${grouped.format(ticks / scale.ticksPerUnit)} ${scale.unit}`
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
