import { describe, expect, it } from 'vitest'
import { compareSchedules } from '../../src/compare/compare.ts'
import { idleOf } from '../../src/compare/metrics.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { comparisonReport } from '../../src/report/html/comparison.ts'
import { htmlReport } from '../../src/report/html/report.ts'
import { pictureOf } from '../../src/report/picture.ts'
import { comparisonCsv } from '../../src/report/text/comparison.ts'
import { verdictSentences } from '../../src/report/text/verdict.ts'
import { CAUSE_WORDS } from '../../src/schedule/idle.ts'
import { measuredOf } from '../support/staged.ts'

const measured = measuredOf({
  name: 'vlm <4x8>',
  ranks: 4,
  microbatches: 8,
  stages: [0, 1, 2, 3].map(() => ({ forward: 10, backward: 20, activation: 1e9, output: 1e6 })),
  encoder: { forward: 15, backward: 0, trainable: false, activation: 2e8, output: 1e6 },
  communication: { send: 1, gather: 1, scatter: 1 }
})
const families = ['inline', 'transpose-full', 'transpose-greedy'].map(id => familyById(id)!)
const compared = compareSchedules(measured, { families })
const optimum = compared.schedules[2]
const proved = compareSchedules(measured, {
  families,
  optimum: {
    status: 'optimal',
    makespan: optimum.document.makespan,
    lowerBound: optimum.document.makespan,
    problem: 'placement',
    schedule: optimum.document
  }
})

describe('verdictSentences', () => {
  it('says how much, whether proven, what comes closest, and where the file is', () => {
    expect(
      verdictSentences(proved.comparison, [{ path: 'order.json', format: 'hyper-parallel' }])
    ).toMatchInlineSnapshot(`
      [
        "The optimum is 14.2 % faster than inline (417 us to 365 us).",
        "It is proven: no schedule of problem "placement" takes less than 365 us.",
        "Of the heuristics, transpose-greedy comes closest: its step is as long.",
        "Here is the file to run it: order.json (hyper-parallel).",
      ]
    `)
  })

  it('says what is open when nothing is proven', () => {
    const open = {
      ...proved.comparison,
      optimum: { ...proved.comparison.optimum!, status: 'feasible' as const, lowerBound: 300 }
    }
    expect(verdictSentences(open)).toMatchInlineSnapshot(`
      [
        "The best schedule found is 14.2 % faster than inline (417 us to 365 us).",
        "It is not proven: no schedule of problem "placement" takes less than 300 us (gap 17.8 %).",
        "Of the heuristics, transpose-greedy comes closest: its step is as long.",
      ]
    `)
    expect(verdictSentences(compared.comparison)).toEqual([])
    const none = { status: 'infeasible' as const, lowerBound: 0, problem: 'placement' }
    expect(verdictSentences({ ...compared.comparison, optimum: none })).toEqual([
      'It is proven that no schedule of problem "placement" exists.'
    ])
    const why = { ...none, reason: 'rank 1 holds 3.00 GB' }
    expect(verdictSentences({ ...compared.comparison, optimum: why })[0]).toContain('exists: rank 1 holds 3.00 GB.')
    const near = { ...open.optimum, lowerBound: open.optimum.makespan! * 0.9999 }
    expect(verdictSentences({ ...open, optimum: near })[1]).toContain('(gap under 0.1 %)')
    const refused = [{ format: 'torch-csv', why: 'a replicated encoder' }]
    expect(verdictSentences(proved.comparison, [{ path: 'a.json', format: 'schedule' }], refused).at(-1)).toBe(
      "No runtime's own format can say this schedule (torch-csv: a replicated encoder)."
    )
  })
})

describe('comparisonCsv', () => {
  it('has every metric by its name, idle ticks by cause summing to the bubble', () => {
    const [head, ...lines] = comparisonCsv([proved.comparison]).trimEnd().split('\r\n')
    const columns = head.split(',')
    for (const name of ['spanTicks', 'bubbleOverWork', 'utilisation', 'bytesMoved', 'exposedEncoderTicks'])
      expect(columns).toContain(name)
    expect(lines).toHaveLength(4)
    for (const line of lines) {
      const cells = line.split(',')
      const idle = columns.flatMap((name, i) => (name.startsWith('idleTicks:') ? [Number(cells[i])] : []))
      const bubble = Number(cells[columns.indexOf('bubbleRatio')]) * 4 * Number(cells[columns.indexOf('makespanTicks')])
      expect(idle.reduce((a, b) => a + b)).toBeCloseTo(bubble, 2)
    }
  })
})

describe('comparisonReport', () => {
  const pictures = proved.schedules.map(schedule => ({
    id: schedule.id,
    title: schedule.title,
    events: schedule.document.ranks.flat().length,
    makespan: schedule.document.makespan,
    picture: () =>
      pictureOf(
        schedule.problem,
        schedule.schedule,
        idleOf(schedule).map(idle => ({ ...idle, cause: CAUSE_WORDS[idle.cause] }))
      )
  }))
  const report = comparisonReport(proved.comparison, pictures)

  it('shows the baseline before and the optimum after, each with its figures', () => {
    expect([report.before, report.after]).toEqual(['inline', 'optimum'])
    expect(report.schedules.map(schedule => schedule.id)).toEqual([
      'inline',
      'transpose-full',
      'transpose-greedy',
      'optimum'
    ])
    const figures = report.schedules[3].facts.map(fact => fact.name)
    for (const name of [
      'makespan',
      'span',
      'bubble over makespan',
      'bubble over work',
      'utilisation',
      'exposed encoder',
      'peak memory',
      'in flight',
      'bytes moved'
    ])
      expect(figures).toContain(name)
  })

  it('names causes that sum to the bubble over makespan', () => {
    const [, idle] = report.details
    for (const row of idle.rows) {
      const [, ...shares] = row.map(cell => Number.parseFloat(cell))
      const all = shares.pop()!
      expect(Math.abs(shares.reduce((a, b) => a + b) - all)).toBeLessThan(0.35)
    }
    const line = proved.comparison.rows[0]
    expect(idle.rows[0].at(-1)).toBe(`${(100 * line.bubbleRatio).toFixed(1)} %`)
  })

  it('leaves schedules out where a page would grow too large, never the baseline or the best', () => {
    const many = pictures.map(one => ({ ...one, events: 50_000 }))
    const large = comparisonReport(proved.comparison, many)
    expect(large.schedules.map(schedule => schedule.id)).toEqual(['inline', 'optimum'])
    expect(large.notes.at(-1)).toContain('60,000 events (choose with --families): transpose-full, transpose-greedy')
    const huge = pictures.map(one => ({ ...one, events: 150_001 }))
    const none = comparisonReport(proved.comparison, huge)
    expect([none.schedules, none.before]).toEqual([[], undefined])
    expect(none.notes.at(-1)).toContain('perfetto')
  })

  it('becomes a page with a Pareto chart and a definition of every figure', () => {
    const html = htmlReport(report)
    expect(html).toContain('Makespan against peak memory')
    for (const word of [
      'makespan:',
      'span:',
      'bubble over makespan:',
      'bubble over work:',
      'utilisation:',
      'exposed encoder:'
    ])
      expect(html).toContain(word)
    expect(html).toContain('vlm &lt;4x8&gt;')
  })
})
