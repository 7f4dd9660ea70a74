import { describe, expect, it } from 'vitest'
import { ganttText } from '../../../src/report/text/gantt.ts'
import { PLAIN } from '../../../src/report/text/style.ts'
import { SMALL, scheduled } from './fixture.ts'

const { document } = scheduled('transpose-full', SMALL)
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const ESCAPES = /\u001b\[\d+m/g

describe('text Gantt', () => {
  it('at 80 columns', () => {
    expect(ganttText(document, PLAIN)).toMatchInlineSnapshot(`
      "                                                                            idle
      rank 0 │0█████2███0░░1░░░········0▒▒▒▒▒▒2░░░1▒▒▒▒▒▒·····2▒▒▒▒▒▒0▓▓▓▓2▓▓▓▓▓│  20%
      rank 1 │1██···········0░░░0▒▒▒▒▒▒1░░1▒▒▒▒▒▒··2░░2▒▒▒▒▒▒1▓▓▓▓▓·············│  39%
             └┬─────────────┬─────────────┬─────────────┬─────────────┬─────────┘
          ms  0             20            40            60            80

      ██ encode   ▓▓ encode backward   ░░ forward   ▒▒ backward   ·· idle (bubble)
      numbers are microbatches; one column is 1.42 ms
      "
    `)
  })

  it('at 140 columns', () => {
    expect(ganttText(document, { ...PLAIN, columns: 140 })).toMatchInlineSnapshot(`
      "                                                                                                                                        idle
      rank 0 │0██████████2███████0░░░░░1░░░░░░················0▒▒▒▒▒▒▒▒▒▒▒▒2░░░░░░1▒▒▒▒▒▒▒▒▒▒▒▒▒·········2▒▒▒▒▒▒▒▒▒▒▒▒0▓▓▓▓▓▓▓▓▓▓2▓▓▓▓▓▓▓▓▓▓│  20%
      rank 1 │1█████·····················0░░░░░░0▒▒▒▒▒▒▒▒▒▒▒▒1░░░░░1▒▒▒▒▒▒▒▒▒▒▒▒▒···2░░░░░░2▒▒▒▒▒▒▒▒▒▒▒▒1▓▓▓▓▓▓▓▓▓▓·························│  39%
             └┬────────────┬─────────────┬────────────┬─────────────┬────────────┬────────────┬─────────────┬────────────┬─────────────┬────┘
          ms  0            10            20           30            40           50           60            70           80            90

      ██ encode   ▓▓ encode backward   ░░ forward   ▒▒ backward   ·· idle (bubble)
      numbers are microbatches; one column is 746.03 us
      "
    `)
  })

  it('in ASCII', () => {
    const text = ganttText(document, { ...PLAIN, unicode: false })
    expect(text).toMatch(/^[\n -~]*$/)
    expect(text).toMatchInlineSnapshot(`
      "                                                                            idle
      rank 0 |0#####2###0--1---........0======2---1======.....2======0%%%%2%%%%%|  20%
      rank 1 |1##...........0---0======1--1======..2--2======1%%%%%.............|  39%
             ++-------------+-------------+-------------+-------------+---------+
          ms  0             20            40            60            80

      ## encode   %% encode backward   -- forward   == backward   .. idle (bubble)
      numbers are microbatches; one column is 1.42 ms
      "
    `)
  })

  it('colour changes nothing but colour', () => {
    const coloured = ganttText(document, { ...PLAIN, colour: true })
    expect(coloured.match(ESCAPES)?.length).toBeGreaterThan(20)
    expect(coloured.replace(ESCAPES, '')).toBe(ganttText(document, PLAIN))
  })

  it('never exceeds the width, at any width', () => {
    for (let columns = 60; columns <= 200; columns += 7) {
      const lines = ganttText(document, { ...PLAIN, columns }).split('\n')
      expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(Math.max(columns, 79))
      expect(lines[1]).toHaveLength(columns)
    }
  })

  it('fills each rank in proportion where events are shorter than a column', () => {
    const long = scheduled('transpose-full', { ranks: 2, microbatches: 200, encoder: 3, forward: 10, backward: 20 })
    const row = ganttText(long.document, PLAIN).split('\n')[2]
    const share = (fill: string) => row.split(fill).length - 1
    expect(share('▒') / share('░')).toBeGreaterThan(1.5)
    expect(share('▒') / share('░')).toBeLessThan(2.5)
    expect(share('█')).toBeGreaterThan(0)
  })

  it('shows a short encode in a long bubble', () => {
    const brief = scheduled('transpose-full', { ranks: 4, microbatches: 4, encoder: 3, forward: 10, backward: 20 })
    const rows = ganttText(brief.document, PLAIN).split('\n').slice(1, 5)
    expect(rows.every(row => row.includes('█'))).toBe(true)
  })

  it('counts the ranks that it does not draw', () => {
    const wide = scheduled('transpose-full', { ranks: 50, microbatches: 2, encoder: 3 })
    expect(ganttText(wide.document, PLAIN)).toContain('... and 10 more ranks')
  })

  it('draws an empty schedule', () => {
    expect(ganttText({ ...document, makespan: 0, ranks: [[], []] }, PLAIN)).toContain('rank 1')
  })
})
