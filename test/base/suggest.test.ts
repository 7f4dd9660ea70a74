import { describe, expect, it } from 'vitest'
import { didYouMean } from '../../src/base/suggest.ts'

const COMMANDS = ['solve', 'prove', 'compare', 'convert', 'derive']

describe('did you mean', () => {
  it.each([
    ['slove', 'solve'],
    ['SOLVE', 'solve'],
    ['solv', 'solve'],
    ['comparre', 'compare'],
    ['covnert', 'convert']
  ])('%s: %s', (word, meant) => {
    expect(didYouMean(word, COMMANDS)).toMatch(`Did you mean "${meant}"?`)
  })

  it.each(['', 'zzz', 'x'.repeat(10_000)])('nothing near %j: the list alone', word => {
    expect(didYouMean(word, COMMANDS)).toBe(`Known here: ${COMMANDS.join(', ')}.`)
  })

  it('nothing known: remove it', () => {
    expect(didYouMean('x', [])).toBe('Remove it.')
  })
})
