import { describe, expect, it } from 'vitest'
import { rankUses } from '../../../src/report/text/rank-table.ts'
import { type ResultView, resultText, statusText } from '../../../src/report/text/result.ts'
import { PLAIN } from '../../../src/report/text/style.ts'
import { SMALL, scheduled } from './fixture.ts'

const { document, measured, peaks, form } = scheduled('transpose-full', SMALL)
if (!form) throw new Error('no closed form')

const view: ResultView = {
  unit: measured.unit,
  ticksPerUnit: 1,
  name: 'sketch',
  schedule: '<transpose, 1f1b>',
  P: 2,
  M: 3,
  problem: 'placement',
  objective: 'makespan',
  status: 'feasible',
  makespan: document.makespan,
  lowerBound: 60,
  gap: (document.makespan - 60) / document.makespan,
  proofs: [{ by: 'the critical-path bound', detail: 'E = 8, 4 F = 20 ms' }],
  foundBy: 'insertion; 0.1 s in all, seed 1',
  crossCheck: { closedForm: form, optimum: document.makespan, minimised: true, holds: true, proved: false },
  document,
  ranks: rankUses(document, peaks, measured.capacity)
}

describe('result of a solve', () => {
  it('at 80 columns', () => {
    expect(resultText(view, PLAIN)).toMatchInlineSnapshot(`
      "sketch  <transpose, 1f1b>  2 ranks x 3 microbatches
      feasible: 94 ms, gap 36.2 %: no schedule is shorter than 60 ms

        problem      placement, objective makespan
        makespan     94 ms
        lower bound  60 ms; the critical-path bound: E = 8, 4 F = 20 ms
        bubble       29.8 % of ranks x makespan is idle
        checked      legal: every rule of time and memory re-derived and checked
                     independently
        found by     insertion; 0.1 s in all, seed 1

                                                                                  idle
      rank 0 │0█████2███0░░1░░░········0▒▒▒▒▒▒2░░░1▒▒▒▒▒▒·····2▒▒▒▒▒▒0▓▓▓▓2▓▓▓▓▓│  20%
      rank 1 │1██···········0░░░0▒▒▒▒▒▒1░░1▒▒▒▒▒▒··2░░2▒▒▒▒▒▒1▓▓▓▓▓·············│  39%
             └┬─────────────┬─────────────┬─────────────┬─────────────┬─────────┘
          ms  0             20            40            60            80

      ██ encode   ▓▓ encode backward   ░░ forward   ▒▒ backward   ·· idle (bubble)
      numbers are microbatches; one column is 1.42 ms

        rank    idle  in flight  peak memory        of capacity  encodes
           0  20.2 %          2      13.0 GB  12.0 GB (108.3 %)  0, 2
           1  39.4 %          1      11.0 GB          unlimited  1

      Closed form of transpose-full against the best found
                    ms
        paper       78  backbone alone plus the largest encoder spill, the formula of
                        the paper
        + drain     16  encoder backwards, their transfer and the replica reduction
                        lengthen the end of the step
        = exact     94  longest path of the derived order; bound by: drain; absorbed,
                        arrival: 0
        best found  94  the searched schedule is as long as the derived one
        Check passed: the searched schedule is not longer than the exact closed form
        allows.
      "
    `)
  })

  it('at 140 columns', () => {
    expect(resultText(view, { ...PLAIN, columns: 140 })).toMatchInlineSnapshot(`
      "sketch  <transpose, 1f1b>  2 ranks x 3 microbatches
      feasible: 94 ms, gap 36.2 %: no schedule is shorter than 60 ms

        problem      placement, objective makespan
        makespan     94 ms
        lower bound  60 ms; the critical-path bound: E = 8, 4 F = 20 ms
        bubble       29.8 % of ranks x makespan is idle
        checked      legal: every rule of time and memory re-derived and checked independently
        found by     insertion; 0.1 s in all, seed 1

                                                                                                                                              idle
      rank 0 │0██████████2███████0░░░░░1░░░░░░················0▒▒▒▒▒▒▒▒▒▒▒▒2░░░░░░1▒▒▒▒▒▒▒▒▒▒▒▒▒·········2▒▒▒▒▒▒▒▒▒▒▒▒0▓▓▓▓▓▓▓▓▓▓2▓▓▓▓▓▓▓▓▓▓│  20%
      rank 1 │1█████·····················0░░░░░░0▒▒▒▒▒▒▒▒▒▒▒▒1░░░░░1▒▒▒▒▒▒▒▒▒▒▒▒▒···2░░░░░░2▒▒▒▒▒▒▒▒▒▒▒▒1▓▓▓▓▓▓▓▓▓▓·························│  39%
             └┬────────────┬─────────────┬────────────┬─────────────┬────────────┬────────────┬─────────────┬────────────┬─────────────┬────┘
          ms  0            10            20           30            40           50           60            70           80            90

      ██ encode   ▓▓ encode backward   ░░ forward   ▒▒ backward   ·· idle (bubble)
      numbers are microbatches; one column is 746.03 us

        rank    idle  in flight  peak memory        of capacity  encodes
           0  20.2 %          2      13.0 GB  12.0 GB (108.3 %)  0, 2
           1  39.4 %          1      11.0 GB          unlimited  1

      Closed form of transpose-full against the best found
                    ms
        paper       78  backbone alone plus the largest encoder spill, the formula of the paper
        + drain     16  encoder backwards, their transfer and the replica reduction lengthen the end of the step
        = exact     94  longest path of the derived order; bound by: drain; absorbed, arrival: 0
        best found  94  the searched schedule is as long as the derived one
        Check passed: the searched schedule is not longer than the exact closed form allows.
      "
    `)
  })

  it('says the status in plain words', () => {
    const { makespan: _, document: __, gap: ___, ...without } = view
    const sentences = [
      statusText({ ...view, status: 'optimal' }),
      statusText(view),
      statusText({ ...without, status: 'infeasible', reason: 'rank 1 needs 40 GB and has 32 GB' }),
      statusText({ ...without, status: 'unknown' })
    ]
    expect(sentences).toMatchInlineSnapshot(`
      [
        "optimal: 94 ms, proved by the critical-path bound",
        "feasible: 94 ms, gap 36.2 %: no schedule is shorter than 60 ms",
        "infeasible: rank 1 needs 40 GB and has 32 GB",
        "unknown: a limit came before any schedule was found; no schedule is shorter than 60 ms",
      ]
    `)
  })

  it('shows an unconfirmed claim as what it is', () => {
    expect(resultText({ ...view, claimedBound: 70 }, PLAIN)).toMatch(/claimed +70 ms by a solver alone; not confirmed/)
  })

  it('without a point there is neither Gantt nor rank table', () => {
    const { makespan: _, document: __, ranks: ___, gap: ____, ...without } = view
    const text = resultText({ ...without, status: 'unknown' }, PLAIN)
    expect(text).not.toContain('rank 0')
    expect(text).not.toContain('checked')
  })
})
