import { describe, expect, it } from 'vitest'
import { timeColumn, timeText } from '../../src/schedule/quantities.ts'

describe('times', () => {
  it.each([
    [352, 'us', 1, '352 us'],
    [4069500, 'us', 1, '4.0695 s'],
    [13416600, 'ms', 1000, '13.4166 s'],
    [1500, 'ns', 1, '1.5 us'],
    [1, 'us', 1000, '1 ns'],
    [0, 'ms', 10, '0 ms'],
    [346, 'ticks', 1, '346 ticks'],
    [1234567, 'ticks', 1, '1234567 ticks']
  ])('%d ticks of 1/%3$d %s', (ticks, unit, ticksPerUnit, text) => {
    expect(timeText(ticks, { unit, ticksPerUnit })).toBe(text)
  })

  it('line up in one unit', () => {
    expect(timeColumn([11006500, 4069500, undefined, 0], { unit: 'us', ticksPerUnit: 1 })).toEqual({
      unit: 's',
      cells: ['11.0065', '4.0695', '-', '0.0000']
    })
  })
})
