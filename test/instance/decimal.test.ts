import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimalOf, decimalPlaces, scaleHalfUp } from '../../src/instance/decimal.ts'

describe('decimal reading', () => {
  it.each([
    [0, 0n, 0],
    [-0, 0n, 0],
    [1, 1n, 0],
    [0.1, 1n, 1],
    [0.1 + 0.2, 30000000000000004n, 17],
    [1e-7, 1n, 7],
    [5e-7, 5n, 7],
    [1.25e-7, 125n, 9],
    [1e21, 10n ** 21n, 0],
    [1.5e300, 15n * 10n ** 299n, 0],
    [123456.789, 123456789n, 3],
    [5e-324, 5n, 324],
    [2 ** 53, 9007199254740992n, 0]
  ])('%d', (value, digits, places) => {
    expect(decimalOf(value)).toEqual({ digits, places })
    expect(decimalPlaces(value)).toBe(places)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, -1e-9])('has none for %d', value => {
    expect(() => decimalOf(value)).toThrow(RangeError)
  })

  it.each([
    // 1.005 lies below its decimal text in binary; a rounding of the double would give 100
    [1.005, 2, 101n, false],
    [0.285, 2, 29n, false],
    [1e-7, 6, 0n, false],
    [5e-7, 6, 1n, false],
    [4.9999999e-7, 6, 0n, false],
    [0.5, 0, 1n, false],
    [0.4999999999999999, 0, 0n, false],
    [2.5, 0, 3n, false],
    [0.1, 1, 1n, true],
    [0.1 + 0.2, 1, 3n, false],
    [1e21, 6, 10n ** 27n, true],
    [8.41, 2, 841n, true],
    [60.975, 3, 60975n, true]
  ])('%d * 10^%d is %d', (value, power, scaled, exact) => {
    expect(scaleHalfUp(value, power)).toEqual({ scaled, exact })
  })

  it('gives back every decimal of up to 15 digits exactly', () => {
    let applied = 0
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 999_999_999_999_999 }),
        fc.integer({ min: 0, max: 12 }),
        (digits, places) => {
          const text = `${digits}e-${places}`
          const { scaled, exact } = scaleHalfUp(Number(text), 12)
          expect(scaled).toBe(BigInt(digits) * 10n ** BigInt(12 - places))
          expect(exact).toBe(true)
          applied++
        }
      ),
      { seed: 11, numRuns: 500 }
    )
    expect(applied).toBe(500)
  })

  it('rounds to within one half, and up exactly at it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 999 }), (whole, thousandths) => {
        const value = Number(`${whole}.${String(thousandths).padStart(3, '0')}`)
        expect(scaleHalfUp(value, 0).scaled).toBe(BigInt(whole + (thousandths >= 500 ? 1 : 0)))
      }),
      { seed: 12, numRuns: 500 }
    )
  })
})
