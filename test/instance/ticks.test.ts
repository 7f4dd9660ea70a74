import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaleHalfUp } from '../../src/instance/decimal.ts'
import { parseInstance } from '../../src/instance/parse.ts'
import { tickScale, toInteger } from '../../src/instance/scale.ts'
import { FROZEN } from './fixtures.ts'

function accepted(text: string) {
  const parsed = parseInstance(text, 'yaml')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
  return parsed
}

describe('ticks', () => {
  it.each([
    ['20.5, activation: 1.0e9', '20, activation: 1.0e9', 10],
    ['send: 1', 'send: 0.125', 1000],
    ['vision: 0', 'vision: 0.000001', 1_000_000],
    ['vision: 0', 'vision: 1e-7', 1_000_000],
    ['memory:', 'dedicated: { stages: [{ forward: 0.25, backward: 1 }] }\nmemory:', 100]
  ])('%s -> %s gives %d per unit', (from, to, ticksPerUnit) => {
    expect(accepted(FROZEN.replace(from, to)).measured.ticksPerUnit).toBe(ticksPerUnit)
  })

  it('is one unit when every duration is an integer', () => {
    expect(accepted(FROZEN.replaceAll('20.5', '20')).measured.ticksPerUnit).toBe(1)
  })

  it('rounds what is still fractional half up, number by number, and lists it', () => {
    const text = FROZEN.replace('[6, 9, 0]', '[0.0000005, 0.0000004, 1]').replace('output: 100', 'output: 100.5')
    const { measured, roundings } = accepted(text)
    expect(measured.regions[0].stages[0][0].forward).toEqual([1, 0, 1_000_000])
    expect(measured.regions[0].stages[0][0].output).toBe(101)
    expect(roundings).toEqual([
      { path: 'regions[0].stages[0].forward[0]', value: 5e-7, rounded: 1, quantity: 'ticks' },
      { path: 'regions[0].stages[0].forward[1]', value: 4e-7, rounded: 0, quantity: 'ticks' },
      { path: 'regions[0].stages[0].output', value: 100.5, rounded: 101, quantity: 'bytes' }
    ])
  })

  it('rounds before any sum: input and weight of a split backward', () => {
    const text = FROZEN.replace(
      'backward: 20.5,',
      'backward: { input: 0.0000005, weight: 0.0000005 }, weightShare: 0.25,'
    )
    const { measured } = accepted(text)
    expect(measured.regions[1].stages[0][0].backward).toEqual({
      kind: 'split',
      input: [1, 1, 1],
      weight: [1, 1, 1],
      weightShare: 0.25
    })
  })

  it('converts in doubles exactly as in big integers', () => {
    let exact = 0
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 }), fc.integer({ min: 0, max: 6 }), (digits, places) => {
        const value = Number(`${digits}e-${places}`)
        const stages = [{ forward: value, backward: 0, activation: 0, parameters: 0, output: 0 }]
        const communication = { model: 'latency', send: 0, gather: 0, scatter: 0, broadcast: 0, reduce: {} } as const
        const options = { encoderBackward: 'owner' } as const
        const scale = tickScale({ regions: [{ name: 'a', trainable: true, stages }], communication, options })
        expect(toInteger(value, scale)).toBe(Number(scaleHalfUp(value, scale.power).scaled))
        if (scale.exact && scale.power > 0) exact++
      }),
      { seed: 13, numRuns: 1000 }
    )
    expect(exact).toBeGreaterThan(400)
  })
})
