import { describe, expect, it } from 'vitest'
import { reflow, wrap } from '../../src/base/wrap.ts'

describe('wrap', () => {
  it('breaks at spaces only', () => {
    expect(wrap('one two three', 8, '  ', '> ')).toBe('> one\n  two\n  three')
    expect(wrap('unbreakable', 4)).toBe('unbreakable')
  })

  it('keeps a number with its unit', () => {
    expect(wrap('a gap of 12.5 % is left', 12)).toBe('a gap of\n12.5 % is\nleft')
    expect(wrap('runs 361 ticks (7 us)', 10)).toBe('runs\n361 ticks\n(7 us)')
    expect(wrap('2f + 3b + c', 4)).toBe('2f\n+ 3b\n+ c')
    expect(wrap('E0 F1 F2', 5)).toBe('E0 F1\nF2')
    expect(wrap('0 1 2 3', 3)).toBe('0 1\n2 3')
  })

  it('leaves no space at the end of a line', () => {
    expect(wrap('name  <gpipe>', 6)).toBe('name\n<gpipe>')
  })
})

describe('reflow', () => {
  it('breaks long lines with their indent, and leaves columns alone', () => {
    expect(reflow('  a b c d\nshort\n', 6)).toBe('  a b\n    c\n    d\nshort\n')
    expect(reflow('a  b  c  d', 4)).toBe('a  b  c  d')
  })
})
