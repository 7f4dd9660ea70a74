/**
 * Exact decimal reading of numbers. A number's decimal text is the shortest that reads back as the same double, which is
 * what was written for every text of up to 15 significant digits; 0.1 is one tenth here, never its binary neighbour.
 */
export type Decimal = {
  readonly digits: bigint /** Digits after the decimal point; never negative. */
  readonly places: number
}

/** A finite number >= 0 as digits and places, without trailing zeros: 1.25e-7 is 125 with 9 places. */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value) || value < 0) throw new RangeError(`no decimal reading for ${value}`)
  const [mantissa, exponent = '0'] = String(value).split('e')
  const [whole, fraction = ''] = mantissa.split('.')
  const places = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 }
}

/** Digits after the decimal point of a finite number >= 0; as `decimalOf`, without building the digits. */
export function decimalPlaces(value: number): number {
  if (Number.isInteger(value)) return 0
  const text = String(value)
  const exponent = text.indexOf('e')
  const point = text.indexOf('.')
  const end = exponent < 0 ? text.length : exponent
  return (point < 0 ? 0 : end - point - 1) - (exponent < 0 ? 0 : Number(text.slice(exponent + 1)))
}

/** value * 10^power as an integer, a half rounded up; `exact` tells whether nothing was rounded. */
export function scaleHalfUp(value: number, power: number): { readonly scaled: bigint; readonly exact: boolean } {
  const { digits, places } = decimalOf(value)
  if (places <= power) return { scaled: digits * 10n ** BigInt(power - places), exact: true }
  const divisor = 10n ** BigInt(places - power)
  const scaled = (2n * digits + divisor) / (2n * divisor)
  return { scaled, exact: scaled * divisor === digits }
}
