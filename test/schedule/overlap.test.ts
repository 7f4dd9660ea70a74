import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { orderOfDocument } from '../../src/formats/document-order.ts'
import { readerById, writerById } from '../../src/formats/index.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { parseInstance } from '../../src/instance/index.ts'
import { jointTask } from '../../src/optimize/tasks.ts'
import { timeOrder } from '../../src/prove/listed-times.ts'
import { bodyOrder } from '../../src/schedule/body.ts'
import { criticalPath } from '../../src/schedule/critical-path.ts'
import { type ScheduleDocument, type TimedEvent, toDocument } from '../../src/schedule/document.ts'
import { problemOfDocument } from '../../src/schedule/document-problem.ts'
import { idleByCause, idleIntervals } from '../../src/schedule/idle.ts'
import type { Measured, OverlapRule } from '../../src/schedule/measured.ts'
import { peakBytes } from '../../src/schedule/memory.ts'
import { idleTicks } from '../../src/schedule/metrics.ts'
import { pairTicks } from '../../src/schedule/overlap.ts'
import { verify } from '../../src/verify/verify.ts'
import { measuredOf, timed } from '../support/staged.ts'

const split = (ranks: number, microbatches: number, slabs: number, overlap?: OverlapRule): Measured => ({
  ...measuredOf({
    ranks,
    microbatches,
    stages: range(slabs).map(s => ({ forward: 5 + (s % 3), backward: { input: 4, weight: 3 }, activation: 10 + s })),
    communication: { send: 1 },
    capacity: range(ranks).map(() => 1e6)
  }),
  ...(overlap ? { overlap } : {})
})

function run(id: string, measured: Measured) {
  const order = familyById(id)!.apply(measured)
  if (order.kind !== 'order') throw new Error(order.reason)
  const schedule = timed(order.problem, order.sequences)
  return { ...order, schedule, document: toDocument(order.problem, schedule) }
}

const rules: fc.Arbitrary<OverlapRule | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.integer({ min: 0, max: 1_000_000 }).map((perMillion): OverlapRule => ({ kind: 'factor', perMillion })),
  fc.integer({ min: 0, max: 30 }).map((ticks): OverlapRule => ({ kind: 'fixed', ticks }))
)

describe('an overlapped pair', () => {
  it('takes F + B, a share of it with a half rounded up, or a fixed time, never less than the longer part', () => {
    expect(pairTicks(undefined, 5, 10)).toBe(15)
    expect(pairTicks({ kind: 'factor', perMillion: 800_000 }, 5, 10)).toBe(12)
    expect(pairTicks({ kind: 'factor', perMillion: 900_000 }, 5, 10)).toBe(14)
    expect(pairTicks({ kind: 'factor', perMillion: 0 }, 5, 10)).toBe(10)
    expect(pairTicks({ kind: 'fixed', ticks: 2 }, 1, 2)).toBe(2)
    expect(pairTicks({ kind: 'fixed', ticks: 1 }, 1, 2)).toBe(2)
    expect(pairTicks({ kind: 'fixed', ticks: 20 }, 5, 10)).toBe(20)
    expect(pairTicks({ kind: 'factor', perMillion: 999_999 }, 2 ** 51, 2 ** 51)).toBe(4503595123770869)
  })

  it('gives legal schedules by the checker, which restates its cost, at the same peaks and with causes for all idle', () => {
    let applied = 0
    const gains = new Set<boolean>()
    const models = new Set<string>()
    fc.assert(
      fc.property(
        fc.constantFrom('dualpipe', 'dualpipev'),
        fc.integer({ min: 1, max: 3 }),
        rules,
        fc.constantFrom('latency', 'link', 'blocking'),
        (id, half, rule, model) => {
          const ranks = 2 * half
          const plain = split(ranks, 2 * ranks + 2, id === 'dualpipe' ? ranks : 2 * ranks, rule)
          const measured = { ...plain, communication: { ...plain.communication, model } as const }
          const { problem, schedule, document, measured: placed } = run(id, measured)
          expect(verify(placed, document).legal).toBe(true)
          const idle = idleIntervals(problem, schedule)
          expect(Object.values(idleByCause(idle)).reduce((a, b) => a + b)).toBe(
            idleTicks(document).reduce((a, b) => a + b)
          )
          const tight = peakBytes(problem, schedule)
          expect(verify({ ...placed, capacity: tight }, document).legal).toBe(true)
          expect(verify({ ...placed, capacity: tight.map(bytes => bytes - 1) }, document).legal).toBe(false)
          const path = criticalPath(problem, schedule)
          if (model === 'latency') expect(schedule.start[path[0]]).toBe(0)
          models.add(model)
          gains.add(
            document.makespan < run(id, split(ranks, 2 * ranks + 2, placed.regions[0].stages.length)).document.makespan
          )
          applied++
        }
      ),
      { seed: 7, numRuns: 90 }
    )
    expect(applied).toBe(90)
    expect(models.size).toBe(3)
    expect([...gains].sort()).toEqual([false, true])
  })

  it('is read back from a document, with its problem, and becomes an overlap where an order is made of it', () => {
    const { document, problem, measured } = run('dualpipev', split(2, 6, 4, { kind: 'factor', perMillion: 700_000 }))
    expect(problemOfDocument(measured, document).events).toEqual(problem.events)
    const written = writerById('schedule')!.write({ order: orderOfDocument(document), document })
    if (!written.ok) throw new Error('not written')
    const read = readerById('schedule')!.read(written.files[0].text)
    expect(read).toMatchObject({ ok: true, document })
    const overlaps = orderOfDocument(document)
      .ranks.flat()
      .filter(action => action.op === 'overlap')
    expect(overlaps).toHaveLength(problem.fusable.length)
    expect(overlaps.length).toBeGreaterThan(5)
  })
})

describe('an order of another tool that overlaps', () => {
  const csv = '0F0,0F1,(0F2;0B0)OVERLAP_F_B,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2\n'
  const order = () => {
    const read = readerById('torch-csv')!.read(csv)
    if (!read.ok) throw new Error(read.faults[0].message)
    return read.order
  }
  const instance = measuredOf({ ranks: 2, microbatches: 3, stages: range(2).map(() => ({ forward: 2, backward: 4 })) })
  const timedOn = (measured: Measured) => {
    const result = timeOrder(measured, order())
    if (!result.ok) throw new Error('not timed')
    expect(verify(measured, result.document).legal).toBe(true)
    return result.document
  }

  it('is timed with pairs where the instance says what they take, else part after part', () => {
    expect(timedOn(instance).ranks[0].some(event => event.overlapped)).toBe(false)
    const overlap = { kind: 'factor', perMillion: 700_000 } as const
    const [, , forward, backward] = timedOn({ ...instance, overlap }).ranks[0]
    expect(forward).toMatchObject({ kind: 'F', overlapped: true, start: 8, end: 12 })
    expect(backward).toMatchObject({ kind: 'B', overlapped: true, start: 8, end: 12 })
  })
})

describe('the checker on pairs', () => {
  const { document, measured } = run('dualpipev', split(2, 6, 4, { kind: 'fixed', ticks: 9 }))
  const at = document.ranks[0].findIndex(event => event.overlapped)
  const changed = (change: (events: TimedEvent[]) => TimedEvent[]): ScheduleDocument => ({
    ...document,
    ranks: [change([...document.ranks[0]]), ...document.ranks.slice(1)]
  })
  const codes = (faulty: ScheduleDocument, options = {}) => {
    const verdict = verify(measured, faulty, options)
    return verdict.legal ? [] : [...new Set(verdict.violations.map(violation => violation.code))]
  }

  it('accepts them as they are', () => {
    expect(codes(document)).toEqual([])
  })

  it('finds a marker without partner, parts that start apart, and a wrong length', () => {
    const alone = changed(events => {
      const { overlapped: _, ...rest } = events[at + 1]
      return events.with(at + 1, rest)
    })
    expect(codes(alone)).toContain('OVERLAP')
    const apart = changed(events =>
      events.with(at + 1, { ...events[at + 1], start: events[at + 1].start + 1, end: events[at + 1].end + 1 })
    )
    expect(codes(apart)).toContain('OVERLAP')
    const short = changed(events =>
      events
        .with(at, { ...events[at], end: events[at].end - 1 })
        .with(at + 1, { ...events[at + 1], end: events[at + 1].end - 1 })
    )
    expect(codes(short)).toContain('DURATION')
  })

  it('charges what this instance says, no other rule', () => {
    const verdict = verify({ ...measured, overlap: { kind: 'fixed', ticks: 10 } }, document)
    expect(verdict.legal ? [] : verdict.violations.map(violation => violation.code)).toContain('DURATION')
  })

  it('allows none where the body order is fixed', () => {
    expect(
      codes(document, { bodyFixed: bodyOrder({ ...measured, stageMap: undefined } as unknown as Measured) })
    ).toContain('OVERLAP')
  })
})

describe('options.overlap of an instance', () => {
  const instance = (options: string) =>
    parseInstance(
      `format: tropipe.instance/1
name: a
ranks: 2
microbatches: 2
schedule: "<1f1b>"
regions:
  - name: llm
    trainable: true
    stages:
      - { forward: 1, backward: { input: 1, weight: 1 } }
      - { forward: 1, backward: { input: 1, weight: 1 } }
options: ${options}
`,
      'yaml'
    )
  const measuredBy = (options: string) => {
    const parsed = instance(options)
    if (!parsed.ok) throw new Error(parsed.faults.map(fault => fault.message).join())
    return parsed.measured
  }

  it('is a share of F + B or a time, in ticks like every duration', () => {
    expect(measuredBy('{ overlap: { factor: 0.8 } }').overlap).toEqual({ kind: 'factor', perMillion: 800_000 })
    const half = measuredBy('{ overlap: { duration: 2.5 } }')
    expect([half.ticksPerUnit, half.overlap]).toEqual([10, { kind: 'fixed', ticks: 25 }])
  })

  it('says F + B in every way that means it, with one hash', () => {
    const ways = ['{}', '{ overlap: sum }', '{ overlap: { factor: 1 } }'].map(measuredBy)
    expect(new Set(ways.map(way => way.hash)).size).toBe(1)
    expect(measuredBy('{ overlap: { factor: 0.9 } }').hash).not.toBe(ways[0].hash)
  })

  it.each(['{ overlap: { factor: 1.5 } }', '{ overlap: { duration: -1 } }', '{ overlap: free }', '{ overlap: {} }'])(
    'refuses %s at its path',
    options => {
      const parsed = instance(options)
      expect(parsed.ok ? [] : parsed.faults.map(fault => fault.path)).toEqual([
        expect.stringMatching(/^options\.overlap/)
      ])
    }
  )

  it('is refused by the solvers that it would matter to', () => {
    expect(() => jointTask(measuredBy('{ overlap: { factor: 0.8 } }'))).toThrow('NOT_YET')
    expect(() => jointTask(measuredBy('{ overlap: { factor: 1 } }'))).not.toThrow()
  })
})
