import { expect, it } from 'vitest'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { type ScheduleDocument, toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import { listViolations, renderGrid } from '../../src/verify/grid.ts'
import { verify } from '../../src/verify/verify.ts'
import { generateMeasured } from '../support/generate.ts'

function document(ranks: number, microbatches: number): [ReturnType<typeof generateMeasured>, ScheduleDocument] {
  const shape = {
    ranks,
    microbatches,
    source: 'alone',
    chunks: 1,
    skeleton: '1f1b',
    split: false,
    zeros: false
  } as const
  const generated = generateMeasured(5, { ...shape, uniform: true })
  const stages = generated.regions[0].stages.map(stage => stage.map(slab => ({ ...slab, trainable: true })))
  const measured = { ...generated, regions: [{ ...generated.regions[0], stages }] }
  const problem = buildProblem(measured)
  const evaluation = evaluate(problem, bodySequences(problem, bodyOrder(measured)))
  if (evaluation.kind === 'cycle') throw new Error('1f1b has no cycle')
  return [measured, toDocument(problem, evaluation.schedule)]
}

it('marks the faulty cell and its counterpart', () => {
  const [measured, legal] = document(2, 2)
  const ranks = legal.ranks.map((events, rank) =>
    rank === 1
      ? events.map((event, step) => (step === 0 ? { ...event, start: 0, end: event.end - event.start } : event))
      : events
  )
  const verdict = verify(measured, { ...legal, ranks })
  if (verdict.legal) throw new Error('F cannot start before its activation')
  const text = renderGrid({ ...legal, ranks }, verdict.violations[0])
  const lines = text.split('\n')
  expect(lines[0]).toMatch(/^step +0 +1 +2 +3$/)
  expect(lines[1]).toMatch(/^rank 0\(0F0\) 0F1 +0B0 +0B1$/)
  expect(lines[2]).toMatch(/^rank 1\[1F0\] 1B0 +1F1 +1B1$/)
  expect(text).toContain('PRECEDENCE at rank 1, step 0, microbatch 0')
  expect(text).toMatch(/event: F\(stage 1, microbatch 0\) \[0, \d+\) of llm/)
  expect(text).toMatch(/against: F\(stage 0, microbatch 0\) \[0, \d+\) of llm, on rank 0, step 0/)
  expect(text).toMatch(/advice: Start it at \d+ or later\./)
})

it('cuts long lists around the mark and counts what a list leaves out', () => {
  const [measured, legal] = document(2, 60)
  const ranks = legal.ranks.map(events => events.map(event => ({ ...event, end: event.end + 1 })))
  const verdict = verify(measured, { ...legal, ranks })
  if (verdict.legal) throw new Error('every length is wrong')
  const middle = verdict.violations.find(violation => violation.step === 60)!
  const text = renderGrid({ ...legal, ranks }, middle)
  expect(text).toMatch(/\(steps 5\d to 6\d of 0 to 119\)/)
  const rows = text.split('\n').filter(line => /^(step|rank)/.test(line))
  expect(rows).toHaveLength(3)
  for (const row of rows) expect(row.length).toBeLessThanOrEqual(80)
  expect(text).toMatch(/\[\d[FB]\d+\]/)
  expect(listViolations(verdict.violations, 3).split('\n')).toHaveLength(4)
  expect(listViolations(verdict.violations, 3)).toContain('... and 237 more')
})
