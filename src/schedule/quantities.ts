import type { Tick } from './measured.ts'

/** What a tick is: one `unit` holds `ticksPerUnit` of them. Units: ns, us, ms, s; `ticks` has no physical meaning. */
export type Scale = { readonly unit: string; readonly ticksPerUnit: number }

const NANOSECONDS: Readonly<Record<string, number>> = { s: 1e9, ms: 1e6, us: 1e3, ns: 1 }

/** A unit to show times in, and how many of it a tick is. */
export type TimeUnit = { readonly name: string; readonly perTick: number }

/** The largest unit in which the given time is at least 1; the scale's own where it has no physical meaning. */
export function timeUnit(ticks: Tick, scale: Scale): TimeUnit {
  const own = NANOSECONDS[scale.unit]
  if (own === undefined) return { name: scale.unit, perTick: 1 / scale.ticksPerUnit }
  const nanoseconds = (ticks * own) / scale.ticksPerUnit
  const name = ['s', 'ms', 'us'].find(unit => nanoseconds >= NANOSECONDS[unit]) ?? 'ns'
  return ticks === 0
    ? { name: scale.unit, perTick: 1 / scale.ticksPerUnit }
    : { name, perTick: own / NANOSECONDS[name] / scale.ticksPerUnit }
}

/** A number with at most 7 significant digits and no trailing zeros. */
export function digits(value: number): string {
  return String(Number(value.toPrecision(7)))
}

/** A time, given in ticks, with its unit, e.g. `4.0695 s`; at most 7 significant digits. */
export function timeText(ticks: Tick, scale: Scale, unit = timeUnit(ticks, scale)): string {
  const value = digits(ticks * unit.perTick)
  return `${value} ${value === '1' && unit.name === 'ticks' ? 'tick' : unit.name}`
}

/** Times in one common unit and with equally many decimals (at most 4), so that a column lines up. */
export function timeColumn(times: readonly (Tick | undefined)[], scale: Scale): { unit: string; cells: string[] } {
  const known = times.filter(time => time !== undefined)
  const unit = timeUnit(Math.max(0, ...known), scale)
  const decimals = Math.min(4, Math.max(0, ...known.map(time => decimalsOf(digits(time * unit.perTick)))))
  const cells = times.map(time => (time === undefined ? '-' : (time * unit.perTick).toFixed(decimals)))
  return { unit: unit.name, cells }
}

function decimalsOf(text: string): number {
  return text.includes('e') ? 0 : (text.split('.')[1]?.length ?? 0)
}

/** A ratio as a percentage with one decimal, e.g. `30.6 %`. */
export function showPercent(ratio: number): string {
  return `${(100 * ratio).toFixed(1)} %`
}
