import { decimalPlaces, scaleHalfUp } from './decimal.ts'
import { byteCountsOf, durationsOf, listed, type Stated } from './numbers.ts'
import type { InstanceDocument } from './schema.ts'

/** A number of the document that became an integer only by rounding half up. */
export type Rounding = {
  readonly path: string
  /** As written, in the instance's unit (ticks) or in bytes. */
  readonly value: number
  readonly rounded: number
  readonly quantity: 'ticks' | 'bytes'
}

/** Largest power of ten that a unit is divided by. */
const MAX_POWER = 6

type Scaled = Pick<InstanceDocument, 'regions' | 'communication' | 'options' | 'dedicated' | 'cuts'>

/** How durations become ticks: times 10^power; `exact` when no duration has to be rounded. */
export type TickScale = { readonly power: number; readonly exact: boolean }

/** ticksPerUnit is the smallest power of ten, at most 10^6, that makes every duration an integer (spec section 2, Ticks). */
export function tickScale(document: Scaled): TickScale {
  let power = 0
  for (const stated of durationsOf(document)) {
    for (const value of listed(stated)) power = Math.max(power, decimalPlaces(value))
    if (power > MAX_POWER) return { power: MAX_POWER, exact: false }
  }
  return { power, exact: true }
}

/** Bytes are integers as they stand, or rounded. */
export const BYTE_SCALE: TickScale = { power: 0, exact: false }

/** Below this, an exact product's error in doubles is under one half, so rounding it gives the integer that it is. */
const SAFE_PRODUCT = 2 ** 51

/** value * 10^power, a half rounded up. What would exceed 2^53 - 1 is refused before, by the overflow check. */
export function toInteger(value: number, { power, exact }: TickScale): number {
  if (power === 0 && Number.isInteger(value)) return value
  const product = value * 10 ** power
  if (exact && product < SAFE_PRODUCT) return Math.round(product)
  return Number(scaleHalfUp(value, power).scaled)
}

/** Every number of a document that was rounded, in document order: durations, then bytes. */
export function roundingsOf(document: Scaled & Pick<InstanceDocument, 'memory'>): Rounding[] {
  const { power, exact } = tickScale(document)
  const ticks = exact ? [] : [...roundings(durationsOf(document), power, 'ticks')]
  return [...ticks, ...roundings(byteCountsOf(document), 0, 'bytes')]
}

function* roundings(places: Iterable<Stated>, power: number, quantity: Rounding['quantity']): Generator<Rounding> {
  for (const stated of places) {
    for (const [index, value] of listed(stated).entries()) {
      if (Number.isInteger(value)) continue
      const { scaled, exact } = scaleHalfUp(value, power)
      const path = typeof stated.numbers === 'number' ? stated.path : `${stated.path}[${index}]`
      if (!exact) yield { path, value, rounded: Number(scaled), quantity }
    }
  }
}
