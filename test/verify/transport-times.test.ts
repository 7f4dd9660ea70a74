import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { orderOfDocument } from '../../src/formats/document-order.ts'
import { hyperParallelReader } from '../../src/formats/hyper-parallel.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { timeOrder } from '../../src/prove/listed-times.ts'
import { toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import { type Action, foreignOrder, type Run, runsOf } from '../../src/schedule/foreign.ts'
import { insertTransfers } from '../../src/schedule/transfers.ts'
import { timeActions } from '../../src/verify/transport/times.ts'
import { verify } from '../../src/verify/verify.ts'
import { hasShared, sharedFiles, sharedText } from '../formats/shared.ts'
import { generateMeasured } from '../support/generate.ts'

describe('times of listed actions', () => {
  it('a receive holds the list up, a send does not', () => {
    const run = (kind: 'F' | 'B', stage: number): Run => ({ op: 'run', kind, stage, microbatch: 0 })
    const end = (op: 'send' | 'recv', payload: 'activation' | 'gradient', stage: number): Action => ({
      op,
      payload,
      stage,
      microbatch: 0
    })
    const order = foreignOrder([
      [run('F', 0), end('send', 'activation', 0), end('recv', 'gradient', 0), run('B', 0)],
      [end('recv', 'activation', 1), run('F', 1), run('B', 1), end('send', 'gradient', 1)]
    ])
    const times = timeActions(order, { durationOf: ({ kind }) => (kind === 'F' ? 2 : 3), lagOf: () => 10 })
    expect(times?.start).toEqual([
      [0, 2, 27, 27],
      [12, 12, 14, 17]
    ])
    expect(times?.makespan).toBe(30)
  })

  it('on an instance: without transfers the evaluator’s times, with them no earlier ones, and legal ones', () => {
    let [same, later] = [0, 0]
    for (const seed of range(40)) {
      const measured = generateMeasured(seed, { source: 'transposed', maxRanks: 4, maxMicrobatches: 6, zeros: false })
      const family = familyById('transpose-full')?.apply(measured)
      if (family?.kind !== 'order') continue
      const evaluation = evaluate(family.problem, family.sequences)
      if (evaluation.kind !== 'schedule') continue
      const document = toDocument(family.problem, evaluation.schedule)
      const order = orderOfDocument(document)
      const free = timeOrder(measured, order)
      expect(free.ok && free.document).toEqual(document)
      const lowered = insertTransfers(order)
      const listed = lowered.ok ? timeOrder(measured, lowered.order) : undefined
      if (!listed?.ok) throw new Error('a legal order can be timed')
      expect(listed.document.makespan).toBeGreaterThanOrEqual(document.makespan)
      expect(verify(measured, listed.document).legal).toBe(true)
      if (listed.document.makespan > document.makespan) later++
      else same++
    }
    expect([same > 5, later > 5]).toEqual([true, true])
  })
})

describe.skipIf(!hasShared)('stock orders take what the runtime’s model says', () => {
  it.each(sharedFiles('hyperparallel-golden'))('%s', name => {
    const text = sharedText('hyperparallel-golden', name)
    const result = hyperParallelReader.read(text)
    if (!result.ok) throw new Error(result.faults[0].message)
    const { order } = result
    const { metrics } = JSON.parse(text)
    const runs = order.ranks.flatMap(actions => actions.flatMap(runsOf))
    const inline = runs.some(run => run.kind === 'E') ? 0 : 3
    const cost = ({ kind, stage }: Run) => {
      if (kind === 'F') return 2 + (stage === 0 ? inline : 0)
      if (kind === 'B') return 4
      return kind === 'E' ? 3 : order.encoderBackward === 'owner' ? 6 : 9
    }
    expect(timeActions(order, { durationOf: cost, lagOf: () => 0 })?.makespan).toBe(metrics.makespan)
    const peaks = order.ranks.map(actions => {
      let [now, peak] = [0, 0]
      for (const { kind } of actions.flatMap(runsOf)) {
        now += kind === 'F' ? 1 : kind === 'B' ? -1 : 0
        peak = Math.max(peak, now)
      }
      return peak
    })
    expect(peaks).toEqual(metrics.peak_inflight_micro_chunks_per_rank)
  })
})
