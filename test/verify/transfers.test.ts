import { describe, expect, it } from 'vitest'
import { scheduleReader } from '../../src/formats/schedule-json.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { type ScheduleDocument, type TimedTransfer, toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { CommunicationModel, Measured } from '../../src/schedule/measured.ts'
import { verify } from '../../src/verify/verify.ts'
import { generateMeasured, randomOrder, seededRandom } from '../support/generate.ts'

type Case = { readonly measured: Measured; readonly document: ScheduleDocument; readonly seed: number }

function cases(model: CommunicationModel, count: number): Case[] {
  return Array.from({ length: count }, (_, seed) => {
    const drawn = generateMeasured(seed + 1000, {
      source: 'transposed',
      ranks: 2 + (seed % 3),
      microbatches: 4,
      zeros: false
    })
    const communication = { ...drawn.communication, model, send: 6, gather: 11, scatter: 5 }
    const measured = { ...drawn, communication }
    const problem = buildProblem(measured)
    const evaluation = evaluate(problem, randomOrder(problem, seed))
    if (evaluation.kind === 'cycle') throw new Error('cycle')
    return { measured, document: toDocument(problem, evaluation.schedule), seed }
  })
}

function codes({ measured }: Case, document: ScheduleDocument): string[] {
  const verdict = verify(measured, document)
  return verdict.legal ? [] : [...new Set(verdict.violations.map(violation => violation.code))]
}

/** The document with one transfer replaced by what `change` makes of it. */
function changed(
  document: ScheduleDocument,
  at: number,
  change: (one: TimedTransfer) => TimedTransfer[]
): ScheduleDocument {
  const transfers = document.transfers!.flatMap((one, index) => (index === at ? change(one) : [one]))
  return { ...document, transfers: [...transfers].sort((a, b) => a.start - b.start) }
}

const shift = (ticks: number) => (one: TimedTransfer) => [{ ...one, start: one.start + ticks, end: one.end + ticks }]

describe.each(['link', 'blocking'] as const)('transfers under %s', model => {
  const all = cases(model, 40).filter(({ document }) => document.transfers!.length > 0)
  const pick = ({ document, seed }: Case) => seededRandom(seed).int(0, document.transfers!.length - 1)
  const each = (check: (one: Case, at: number) => void) => {
    for (const one of all) check(one, pick(one))
  }

  it('has cases', () => expect(all.length).toBeGreaterThanOrEqual(30))

  it('finds strangers, doubles, wrong ranks and wrong lengths', () => {
    each((one, at) => {
      const { document } = one
      expect(
        codes(
          one,
          changed(document, at, t => [t, { ...t, kind: 'send', stage: 99 }])
        )
      ).toEqual(['UNKNOWN_EVENT'])
      expect(
        codes(
          one,
          changed(document, at, t => [t, t])
        )
      ).toContain('DUPLICATE_EVENT')
      expect(
        codes(
          one,
          changed(document, at, t => [{ ...t, from: t.to, to: t.from }])
        )
      ).toContain('WRONG_RANK')
      expect(
        codes(
          one,
          changed(document, at, t => [{ ...t, end: t.end + 1 }])
        )
      ).toContain('DURATION')
    })
  })

  it('finds gradients that the gates forbid', () => {
    const frozen = all.filter(({ measured }) => measured.regions[0].stages[0].every(slab => !slab.trainable))
    expect(frozen.length).toBeGreaterThanOrEqual(8)
    for (const one of frozen) {
      const stray = { kind: 'scatter', stage: 0, microbatch: 0, from: 0, to: 1, start: 0, end: 1 } as const
      const transfers = [stray, ...one.document.transfers!]
      expect(codes(one, { ...one.document, transfers })).toEqual(['FOOTPRINT'])
    }
  })

  it('finds a transfer that starts before its producer ends', () => {
    each((one, at) => expect(codes(one, changed(one.document, at, shift(-10_000)))).toContain('PRECEDENCE'))
  })

  it('finds a list out of order', () => {
    let found = 0
    each(one => {
      const transfers = [...one.document.transfers!].reverse()
      if (new Set(transfers.map(transfer => transfer.start)).size < 2) return
      expect(codes(one, { ...one.document, transfers })).toContain('ORDER')
      found++
    })
    expect(found).toBeGreaterThanOrEqual(30)
  })
})

describe('what only one model demands', () => {
  it('link: a transfer is neither late nor out of turn', () => {
    let found = 0
    for (const one of cases('link', 16)) {
      for (const at of one.document.transfers!.keys()) {
        expect(codes(one, changed(one.document, at, shift(1)))).toContain('ORDER')
        found++
      }
    }
    expect(found).toBeGreaterThanOrEqual(100)
  })

  it('link: what waits for a queued transfer waits for its end', () => {
    let found = 0
    for (const one of cases('link', 40)) {
      // The same compute under latency ignores the queue.
      const measured = { ...one.measured, communication: { ...one.measured.communication, model: 'latency' as const } }
      const problem = buildProblem(measured)
      const evaluation = evaluate(problem, randomOrder(problem, one.seed))
      if (evaluation.kind === 'cycle') throw new Error('cycle')
      if (evaluation.schedule.makespan === one.document.makespan) continue
      expect(codes(one, toDocument(problem, evaluation.schedule))).toContain('PRECEDENCE')
      found++
    }
    expect(found).toBeGreaterThanOrEqual(20)
  })

  it('blocking: every transfer is listed', () => {
    let found = 0
    for (const one of cases('blocking', 16)) {
      for (const at of one.document.transfers!.keys()) {
        expect(
          codes(
            one,
            changed(one.document, at, () => [])
          )
        ).toContain('MISSING_EVENT')
        found++
      }
    }
    expect(found).toBeGreaterThanOrEqual(100)
  })

  it('blocking: nothing runs beside a transfer on either rank', () => {
    let found = 0
    for (const one of cases('blocking', 16)) {
      for (const [at, transfer] of one.document.transfers!.entries()) {
        const next = [...one.document.ranks[transfer.to], ...one.document.ranks[transfer.from]].find(
          event => event.start === transfer.end && event.end > event.start
        )
        if (!next) continue
        expect(codes(one, changed(one.document, at, shift(1)))).toContain('OVERLAP')
        found++
      }
    }
    expect(found).toBeGreaterThanOrEqual(60)
  })

  it('latency: listed transfers lie between their events, and may overlap', () => {
    const [one] = cases('latency', 1)
    expect(one.document.transfers).toBeUndefined()
    const producer = one.document.ranks[0].find(event => event.kind === 'F' && event.stage === 0)!
    const send = { kind: 'send', stage: 0, microbatch: producer.microbatch, from: 0, to: 1 } as const
    const at = (start: number) => ({ ...one.document, transfers: [{ ...send, start, end: start + 6 }] })
    expect(codes(one, at(producer.end))).toEqual([])
    expect(codes(one, at(producer.end - 1))).toEqual(['PRECEDENCE'])
    expect(codes(one, at(1_000_000))).toEqual(['PRECEDENCE'])
  })
})

describe('transfers in a file', () => {
  it('are read back as they were written, and refused where they are malformed', () => {
    let listed = 0
    for (const { document } of [...cases('blocking', 6), ...cases('link', 6)]) {
      const read = scheduleReader.read(JSON.stringify(document))
      if (!read.ok) throw new Error(read.faults[0].message)
      expect(read.document).toEqual(document)
      listed += document.transfers!.length
      const [first, ...rest] = document.transfers!
      const broken = { ...document, transfers: [{ ...first, kind: 'teleport', from: -1 }, 7, ...rest] }
      const refused = scheduleReader.read(JSON.stringify(broken))
      expect(refused.ok ? [] : refused.faults.map(fault => fault.code)).toEqual(
        expect.arrayContaining(['KIND', 'TYPE'])
      )
    }
    expect(listed).toBeGreaterThanOrEqual(50)
  })
})
