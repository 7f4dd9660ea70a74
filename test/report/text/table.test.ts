import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Align, grid } from '../../../src/report/text/table.ts'

const WIDE = { columns: 200 }

describe('a table', () => {
  it('pads columns and trims lines', () => {
    const rows = [
      ['a', '10'],
      ['long name', '2']
    ]
    expect(grid(['name', 'n'], rows, WIDE, ['left', 'right'])).toBe(
      '  name        n\n  a          10\n  long name   2\n'
    )
  })

  it('breaks headers first, then text, and indents what continues in the first column', () => {
    const rows = [['die to die in a card, peak', '224 GB/s', 'one direction of the link']]
    expect(grid(['number', 'largest value', 'note'], rows, { columns: 44 }, ['left', 'right'])).toMatchInlineSnapshot(`
      "                    largest
        number              value  note
        die to die in a  224 GB/s  one direction
          card, peak               of the link
      "
    `)
  })

  it('breaks long words at their joints, and folds what still has no room', () => {
    const header = ['family', 'transpose-full', 'transpose-greedy', 'bound']
    const rows = [
      ['one', '13.42', '13.33', '12.85'],
      ['two', '16.00', '15.00', '14.00']
    ]
    const align: Align[] = ['left', 'right', 'right', 'right']
    expect(grid(header, rows, { columns: 46 }, align)).toMatchInlineSnapshot(`
      "          transpose-  transpose-
        family        full      greedy  bound
        one          13.42       13.33  12.85
        two          16.00       15.00  14.00
      "
    `)
    expect(grid(header, rows, { columns: 28 }, align)).toMatchInlineSnapshot(`
      "  family  transpose-full
        one              13.42
        two              16.00

                transpose-
        family      greedy  bound
        one          13.33  12.85
        two          15.00  14.00
      "
    `)
  })

  it('paints every line of a row', () => {
    const paint = (line: string, row: number) => `${row}:${line}`
    expect(grid(['a'], [['one two three']], { columns: 12 }, [], paint)).toBe('-1:  a\n0:  one two\n0:    three\n')
  })
})

describe('any table', () => {
  const word = fc.stringMatching(/^[a-z]{1,9}$/)
  const prose = fc.array(word, { minLength: 1, maxLength: 8 }).map(words => words.join(' '))
  const number = fc.double({ min: 0, max: 1e6, noNaN: true }).map(value => value.toFixed(2))
  const table = fc
    .record({
      texts: fc.integer({ min: 1, max: 4 }),
      numbers: fc.integer({ min: 0, max: 8 }),
      rows: fc.integer({ min: 0, max: 5 })
    })
    .chain(({ texts, numbers, rows }) =>
      fc.record({
        header: fc.array(prose, { minLength: texts + numbers, maxLength: texts + numbers }),
        align: fc.constant([...Array(texts).fill('left'), ...Array(numbers).fill('right')] as Align[]),
        rows: fc.array(
          fc.tuple(...Array.from({ length: texts + numbers }, (_, index) => (index < texts ? prose : number))),
          { minLength: rows, maxLength: rows }
        )
      })
    )

  it('fits the width and loses nothing', () => {
    let wrapped = 0
    fc.assert(
      fc.property(table, fc.integer({ min: 50, max: 120 }), ({ header, align, rows }, columns) => {
        const text = grid(header, rows as string[][], { columns }, align)
        const wide = grid(header, rows as string[][], { columns: 10_000 }, align)
        for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
        if (text !== wide) wrapped++
        const counts = new Map<string, number>()
        for (const word of text.split(/\s+/)) counts.set(word, (counts.get(word) ?? 0) + 1)
        const wanted = new Map<string, number>()
        for (const word of wide.split(/\s+/)) wanted.set(word, (wanted.get(word) ?? 0) + 1)
        for (const [word, count] of wanted)
          expect(counts.get(word) ?? 0).toBeGreaterThanOrEqual(word === '' ? 0 : count)
      }),
      { seed: 11, numRuns: 300 }
    )
    expect(wrapped).toBeGreaterThan(100)
  })
})
