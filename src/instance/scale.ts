import { decimalPlaces, scaleHalfUp } from './decimal.ts'
import { byteCountsOf, durationsOf, type Stated } from './numbers.ts'
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

type Scaled = Pick<InstanceDocument, 'regions' | 'communication' | 'dedicated'>

/** Exponent of ticksPerUnit: the smallest that makes every duration an integer, at most 6 (spec section 2, Ticks). */
export function tickPower(document: Scaled): number {
  let power = 0
  for (const { value } of durationsOf(document)) {
    if (!Number.isInteger(value)) power = Math.max(power, decimalPlaces(value))
    if (power >= MAX_POWER) return MAX_POWER
  }
  return power
}

/** value * 10^power rounded half up. Exact up to 2^53 - 1; what exceeds it is refused before by the overflow check. */
export function toInteger(value: number, power: number): number {
  if (power === 0 && Number.isInteger(value)) return value
  return Number(scaleHalfUp(value, power).scaled)
}

/** Every number of a document that was rounded, in document order: durations, then bytes. */
export function roundingsOf(document: Scaled & Pick<InstanceDocument, 'memory'>): Rounding[] {
  const power = tickPower(document)
  return [...roundings(durationsOf(document), power, 'ticks'), ...roundings(byteCountsOf(document), 0, 'bytes')]
}

function* roundings(stated: Iterable<Stated>, power: number, quantity: Rounding['quantity']): Generator<Rounding> {
  for (const { path, value } of stated) {
    if (Number.isInteger(value)) continue
    const { scaled, exact } = scaleHalfUp(value, power)
    if (!exact) yield { path, value, rounded: Number(scaled), quantity }
  }
}
