import { describe, expect, it } from 'vitest'
import { familyById } from '../../src/heuristics/index.ts'
import { toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { verify } from '../../src/verify/verify.ts'
import { generateMeasured } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

function run(id: string, measured: Measured) {
  const result = familyById(id)?.apply(measured)
  if (result?.kind !== 'order') throw new Error(`${id} does not apply`)
  const evaluation = evaluate(result.problem, result.sequences)
  if (evaluation.kind !== 'schedule') throw new Error(`${id} has a cycle`)
  return { ...result, schedule: evaluation.schedule }
}

describe('stock transpose', () => {
  it('waits for the slowest feature before the first forward', () => {
    // Rank 3 encodes 60 ticks; transpose-full needs it only at microbatch 3, the stock prefix at once.
    const measured = sketch({ ranks: 4, microbatches: 4, encoder: [6, 6, 6, 60], forward: 10, backward: 20, lag: 1 })
    const stock = run('stock-full', measured)
    const first = stock.problem.events.find(e => e.key.kind === 'F' && e.key.stage === 0 && e.key.microbatch === 0)
    expect(stock.schedule.start[first?.id ?? -1]).toBe(61)
    expect(stock.schedule.makespan).toBeGreaterThan(run('transpose-full', measured).schedule.makespan)
  })

  it('runs the first rank own encoder backwards inside its body', () => {
    const measured = sketch({ ranks: 2, microbatches: 4, encoder: 5, encoderBackward: 5, trainable: true })
    const { problem, sequences } = run('stock-full', measured)
    const names = sequences[0].map(id => `${problem.events[id].key.kind}${problem.events[id].key.microbatch}`)
    expect(names.join(' ')).toBe('E0 E2 F0 F1 B0 EB0 F2 B1 F3 B2 EB2 B3')
  })

  it('is never faster than the same order without the wait, and always legal', () => {
    let compared = 0
    for (let seed = 0; seed < 120; seed++) {
      const measured = generateMeasured(seed, { source: 'transposed', trainableSource: seed % 2 === 0 })
      for (const overflow of ['full', 'min']) {
        const { problem, schedule } = run(`stock-${overflow}`, measured)
        const verdict = verify(measured, toDocument(problem, schedule))
        expect(verdict.legal ? [] : verdict.violations).toEqual([])
        if (seed % 2 === 0) continue
        expect(schedule.makespan).toBeGreaterThanOrEqual(run(`transpose-${overflow}`, measured).schedule.makespan)
        compared++
      }
    }
    expect(compared).toBe(120)
  })

  it('does not apply without a transposed source', () => {
    expect(familyById('stock-min')?.apply(sketch({ ranks: 2, microbatches: 2 })).kind).toBe('not-applicable')
  })
})
