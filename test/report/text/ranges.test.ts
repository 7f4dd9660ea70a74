import { expect, it } from 'vitest'
import { ranges } from '../../../src/report/text/ranges.ts'

it('joins runs of numbers', () => {
  expect(ranges([0, 1, 2, 5, 7, 8])).toBe('0-2, 5, 7, 8')
  expect(ranges([])).toBe('')
})
