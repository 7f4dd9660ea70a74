import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { compareFamilies } from '../../../src/compare/compare.ts'
import { familyById } from '../../../src/heuristics/index.ts'
import { comparisonCsv, comparisonMarkdown, comparisonText } from '../../../src/report/text/comparison.ts'
import { PLAIN } from '../../../src/report/text/style.ts'
import type { Family } from '../../../src/schedule/family.ts'
import { sketch } from '../../support/measured.ts'
import { SMALL } from './fixture.ts'

const families = ['inline', 'dedicated', 'transpose-full', 'transpose-min', 'transpose-greedy'].map(
  id => familyById(id) as Family
)
const comparison = compareFamilies(sketch(SMALL), {
  families,
  optimum: { status: 'feasible', problem: 'placement', makespan: 70, lowerBound: 66 }
})

describe('comparison', () => {
  it('as a table at 80 columns', () => {
    expect(comparisonText(comparison, PLAIN)).toMatchInlineSnapshot(`
      "sketch  2 ranks x 3 microbatches  makespan in ms

        family            makespan  speedup     gap  bubble  legal       notes
        inline                  95   1.000x       -  30.5 %  no: MEMORY  a
        dedicated              108   0.880x  35.2 %  38.9 %  yes         b c
        transpose-full          94   1.011x       -  29.8 %  no: MEMORY
        transpose-min           94   1.011x       -  29.8 %  no: MEMORY
        transpose-greedy        81   1.173x       -  18.5 %  no: MEMORY
        best found              70   1.357x       -       -  yes

        family             memory  flight
        inline            13.0 GB       2
        dedicated         21.0 GB       2
        transpose-full    13.0 GB       2
        transpose-min     13.0 GB       2
        transpose-greedy  13.0 GB       2
        best found              -       -

        speedup: against inline (itself not legal here); gap: (makespan - best found)
        / makespan; bubble: idle time / (ranks x makespan); memory: peak of the worst
        rank; flight: most microbatches in flight on a rank.
        a: encoder fused into stage 0.
        b: encoder alone on rank 0.
        c: backbone as one slab on one rank.
        best found: not proved optimal; no schedule of problem "placement" is shorter
        than 66 ms (gap 5.7 %).

        closed form/ms    paper  - absorbed  + arrival  + drain  = exact  binding
        transpose-full       78           0          0       16       94  drain
        transpose-min        78           0          0       16       94  drain
        transpose-greedy     70           0          3        8       81  drain

        paper: backbone + largest spill; absorbed: spill that was no bottleneck;
        arrival: stage 0 waits for encodes; drain: encoder backwards after the body
      "
    `)
  })

  it('as a table at 140 columns', () => {
    expect(comparisonText(comparison, { ...PLAIN, columns: 140 })).toMatchInlineSnapshot(`
      "sketch  2 ranks x 3 microbatches  makespan in ms

        family            makespan  speedup     gap  bubble   memory  flight  legal       notes
        inline                  95   1.000x       -  30.5 %  13.0 GB       2  no: MEMORY  a
        dedicated              108   0.880x  35.2 %  38.9 %  21.0 GB       2  yes         b c
        transpose-full          94   1.011x       -  29.8 %  13.0 GB       2  no: MEMORY
        transpose-min           94   1.011x       -  29.8 %  13.0 GB       2  no: MEMORY
        transpose-greedy        81   1.173x       -  18.5 %  13.0 GB       2  no: MEMORY
        best found              70   1.357x       -       -        -       -  yes

        speedup: against inline (itself not legal here); gap: (makespan - best found) / makespan; bubble: idle time / (ranks x makespan); memory:
        peak of the worst rank; flight: most microbatches in flight on a rank.
        a: encoder fused into stage 0.
        b: encoder alone on rank 0.
        c: backbone as one slab on one rank.
        best found: not proved optimal; no schedule of problem "placement" is shorter than 66 ms (gap 5.7 %).

        closed form/ms    paper  - absorbed  + arrival  + drain  = exact  binding
        transpose-full       78           0          0       16       94  drain
        transpose-min        78           0          0       16       94  drain
        transpose-greedy     70           0          3        8       81  drain

        paper: backbone + largest spill; absorbed: spill that was no bottleneck; arrival: stage 0 waits for encodes; drain: encoder backwards
        after the body
      "
    `)
  })

  it('as Markdown', () => {
    expect(comparisonMarkdown(comparison)).toMatchInlineSnapshot(`
      "### sketch: 2 ranks x 3 microbatches, makespan in ms

      | family | makespan | speedup | gap | bubble | memory | flight | legal | notes |
      | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |
      | inline | 95 | 1.000x | - | 30.5 % | 13.0 GB | 2 | no: MEMORY | a |
      | dedicated | 108 | 0.880x | 35.2 % | 38.9 % | 21.0 GB | 2 | yes | b c |
      | transpose-full | 94 | 1.011x | - | 29.8 % | 13.0 GB | 2 | no: MEMORY |  |
      | transpose-min | 94 | 1.011x | - | 29.8 % | 13.0 GB | 2 | no: MEMORY |  |
      | transpose-greedy | 81 | 1.173x | - | 18.5 % | 13.0 GB | 2 | no: MEMORY |  |
      | best found | 70 | 1.357x | - | - | - | - | yes |  |

      - speedup: against inline (itself not legal here); gap: (makespan - best found) / makespan; bubble: idle time / (ranks x makespan); memory: peak of the worst rank; flight: most microbatches in flight on a rank.
      - a: encoder fused into stage 0.
      - b: encoder alone on rank 0.
      - c: backbone as one slab on one rank.
      - best found: not proved optimal; no schedule of problem "placement" is shorter than 66 ms (gap 5.7 %).
      "
    `)
  })

  it('says loudly what must not be', () => {
    const wrong = { ...comparison, contradictions: ['transpose-full is legal and below the optimum'] }
    expect(comparisonText(wrong, PLAIN)).toContain('CONTRADICTION: transpose-full is legal and below the')
  })

  it('as CSV that parses back', () => {
    const rows: Record<string, string>[] = parse(comparisonCsv([comparison, comparison]), { columns: true })
    expect(rows).toHaveLength(12)
    expect(rows[2]).toMatchObject({ instance: 'sketch', family: 'transpose-full', unit: 'ms', legal: 'no' })
    expect(Number(rows[2].makespanTicks)).toBe(comparison.rows[2].makespan)
  })

  it('escapes what CSV and Markdown would read otherwise', () => {
    const rows = comparison.rows.map(row => ({ ...row, family: '=cmd|"x", y\n' }))
    const odd = { ...comparison, name: 'a,b', rows }
    const [first]: Record<string, string>[] = parse(comparisonCsv([odd]), { columns: true })
    expect(first).toMatchObject({ instance: 'a,b', family: '\'=cmd|"x", y\n' })
    expect(comparisonMarkdown({ ...odd, rows: rows.map(row => ({ ...row, family: '<b>|' })) })).toContain('\\<b\\>\\|')
  })
})
