import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { range } from '../../src/base/arrays.ts'
import { FaultError } from '../../src/base/fault.ts'
import { measure } from '../../src/instance/index.ts'
import { parseCsv } from '../../src/model/profile/csv.ts'
import { readProfile } from '../../src/model/profile/read.ts'
import { instanceOfProfile } from '../../src/model/profile/to-instance.ts'
import { parseMarker } from '../../src/model/profile/trace.ts'
import { randomOf } from '../../src/model/random.ts'
import * as fixtures from './profile-fixtures.ts'

const shared = resolve(import.meta.dirname, '../../../shared/data/ascend-prof')
const file = (name: string, text: string) => ({ name, text })
const request = { name: 'measured', trainable: false }
const both = (make: (rank: number, steps: number, times?: typeof fixtures.usual) => string, steps: number) =>
  [0, 1].map(rank => file(`rank${rank}.json`, make(rank, steps)))

function codes(run: () => unknown): string[] {
  try {
    run()
  } catch (error) {
    if (error instanceof FaultError) return error.faults.map(fault => fault.code)
    throw error
  }
  return []
}

describe('markers', () => {
  it('are read as the runtimes write them', () => {
    expect(parseMarker('PP:12F3')).toEqual({ kind: 'work', work: 'F', stage: 12, microbatch: 3 })
    expect(parseMarker('PP:0W7')).toMatchObject({ work: 'W' })
    expect(parseMarker('PP:3SEND_F1')).toEqual({ kind: 'exchange' })
    expect(parseMarker('PP:(0F7;7B3)OVERLAP_F_B')).toEqual({ kind: 'overlap' })
    expect(parseMarker('MPIPE:MPIPE_TRANSPOSE_BWD:4')).toEqual({ kind: 'work', work: 'EB', stage: -1, microbatch: 4 })
    expect(parseMarker('MPIPE:MPIPE_GRAD_SEND:4')).toEqual({ kind: 'exchange' })
    expect(parseMarker('MPIPE:__proto__:4')).toBeUndefined()
    expect(parseMarker('aten::add')).toBeUndefined()
  })
})

describe('traces', () => {
  it.each([
    ['PyTorch', fixtures.torchTrace],
    ['Ascend', fixtures.ascendTrace]
  ])('%s: device spans of all ranks become an instance', (_, make) => {
    const profiled = instanceOfProfile(readProfile(both(make, 4)), request)
    const { document, statistics } = profiled
    expect([document.ranks, document.microbatches, document.schedule]).toEqual([2, 3, '<transpose, 1f1b>'])
    expect(document.regions[0].stages[0].forward).toEqual([42, 82, 42])
    expect(document.regions[1].stages.map(stage => [stage.forward, stage.backward])).toEqual([
      [102, 202],
      [102, 202]
    ])
    expect(statistics?.warmup.map(one => one.step)).toEqual([0])
    expect(statistics?.warmup[0].ratio).toBeGreaterThan(2)
    expect(statistics?.stages.find(one => one.kind === 'F' && one.stage === 1)?.spread).toBeCloseTo(2 / 102, 3)
    expect(profiled.notes.join('\n')).toContain('6 transfers'.replace('6', '12'))
    expect(measure(document).regions.length).toBe(2)
  })

  it('outliers are named and do not move the medians', () => {
    const times: typeof fixtures.usual = (kind, stage, m, step) =>
      kind === 'F' && stage === 1 && m === 2 && step === 3 ? 900 : fixtures.usual(kind, stage, m, step)
    const parts = [0, 1].map(rank => file(`rank${rank}.json`, fixtures.torchTrace(rank, 5, times)))
    const { document, statistics } = instanceOfProfile(readProfile(parts), request)
    expect(statistics?.outliers.map(one => [one.span.from, one.span.us, one.span.step])).toEqual([
      ['rank1.json: PP:1F2', 900, 3]
    ])
    expect(document.regions[1].stages[1].forward).toBe(103)
  })

  it('a trace without markers says how to mark', () => {
    expect(() => readProfile([file('t.json', fixtures.unmarked)])).toThrow(/record_function/)
    expect(codes(() => readProfile([file('t.json', fixtures.unmarked)]))).toEqual(['TRACE_NO_MARKERS'])
    expect(codes(() => readProfile([file('t.json', '{"a": 1}')]))).toEqual(['TRACE_SHAPE'])
    expect(codes(() => readProfile([file('t.json', '[{"ph":')]))).toEqual(['TRACE_SYNTAX'])
  })

  it('a rank that is missing is named', () => {
    const one = readProfile([both(fixtures.torchTrace, 3)[1]])
    expect(() => instanceOfProfile(one, request)).toThrow(/F of stage 0.*all ranks/)
  })

  it.skipIf(!existsSync(shared))('a real Ascend trace is read up to its missing markers', () => {
    const text = readFileSync(resolve(shared, 'trace_view_small.json'), 'utf8')
    expect(() => readProfile([file('trace_view.json', text)])).toThrow(/none of the 4\d timed events/)
  })
})

describe('tables', () => {
  it('stage times: units by the column, split backwards, an outlier, text-only microbatches', () => {
    const { document, statistics } = instanceOfProfile(readProfile([file('t.csv', fixtures.stageTimes)]), request)
    expect(document.regions[0].stages[0].forward).toEqual([5000, 6000, 0])
    expect(document.regions[1].stages[1]).toMatchObject({ forward: 10000, backward: { input: 12000, weight: 8000 } })
    expect(statistics?.outliers.map(one => one.span.us)).toEqual([99000])
  })

  it('computing time per rank is an estimate, and says so', () => {
    const part = readProfile([file('cluster_step_trace_time.csv', fixtures.clusterSteps)])
    const four = instanceOfProfile(part, { ...request, microbatches: 3 })
    expect(four.document.regions[0].stages.map(one => [one.forward, one.backward])).toEqual([
      [100, 200],
      [133, 267],
      [67, 133],
      [67, 133]
    ])
    const two = instanceOfProfile(part, { ...request, microbatches: 3, ranks: 2 })
    expect(two.document.regions[0].stages.map(one => one.forward)).toEqual([133, 67])
    expect(two.assumptions.map(one => one.value)).toContain('estimated')
    expect(codes(() => instanceOfProfile(part, request))).toEqual(['PROFILE_MICROBATCHES'])
    const ranks = [file('a.csv', fixtures.oneRankSteps), file('b.csv', fixtures.oneRankSteps)]
    expect(readProfile(ranks).totals.filter(one => one.rank === 0).length).toBe(6)
  })

  it('kernels are summed per step without communication', () => {
    const part = readProfile([file('rank_3_kernel_details.csv', fixtures.kernels)])
    expect(part.totals.map(one => [one.rank, one.step, one.us])).toEqual([
      [3, 7, 401],
      [3, 8, 401]
    ])
  })

  it.skipIf(!existsSync(shared))('real Ascend tables are read', () => {
    const read = (name: string) => readProfile([file(name, readFileSync(resolve(shared, name), 'utf8'))])
    expect(read('cluster_step_trace_time.csv').totals.length).toBe(8)
    expect(read('kernel_details_small.csv').totals.length).toBeGreaterThan(0)
    expect(read('kernel_details_aic.csv').totals.length).toBeGreaterThan(0)
    const cluster = instanceOfProfile(read('cluster_step_trace_time.csv'), { ...request, microbatches: 10 })
    expect(cluster.document.ranks).toBe(8)
  })

  it('unknown tables, wrong numbers and impossible units', () => {
    const of = (text: string) => codes(() => instanceOfProfile(readProfile([file('x.csv', text)]), request))
    expect(of('a,b\n1,2')).toEqual(['PROFILE_UNKNOWN'])
    expect(of('')).toEqual(['PROFILE_UNKNOWN'])
    expect(of('kind,stage,microbatch,duration_weeks\nF,0,0,1')).toEqual(['PROFILE_UNIT'])
    expect(of('kind,stage,microbatch,duration\nQ,0,0,1')).toEqual(['PROFILE_KIND'])
    expect(of('kind,stage,microbatch,duration\nF,0,0,-1')).toEqual(['PROFILE_NUMBER'])
    expect(of('kind,stage,microbatch,duration\nF,0.5,0,1')).toEqual(['PROFILE_NUMBER'])
    const epoch = 'kind,stage,microbatch,duration_s\nF,0,0,1\nB,0,0,2\nE,,0,250000'
    expect(() => instanceOfProfile(readProfile([file('x.csv', epoch)]), request)).toThrow(
      /69\.4 hours .* longer than an epoch/
    )
  })

  it('CSV: quotes, doubled quotes, any line ending', () => {
    expect(parseCsv('a,"b,c"\r\n"d ""e""",\n\n')).toEqual([
      ['a', 'b,c'],
      ['d "e"', '']
    ])
    expect(parseCsv('"open')).toEqual([['open']])
  })
})

describe('mutated profiles', () => {
  it('are read or refused with a fault, never anything else', () => {
    const sources = [
      fixtures.torchTrace(0, 2),
      fixtures.ascendTrace(1, 2),
      fixtures.stageTimes,
      fixtures.clusterSteps,
      fixtures.oneRankSteps,
      fixtures.kernels
    ]
    const random = randomOf(17)
    const pick = (count: number) => Math.floor(random.uniform() * count)
    const junk = ['"', ',', '-', '1e999', 'NaN', '\u0000', '{', ']', '9'.repeat(40), 'null', '\n', ':', '__proto__']
    let refused = 0
    let read = 0
    for (const source of sources)
      for (const _ of range(120)) {
        let text = source
        for (const __ of range(1 + pick(4))) {
          const at = pick(text.length)
          const length = pick(12)
          text = text.slice(0, at) + (pick(3) === 0 ? '' : junk[pick(junk.length)]) + text.slice(at + length)
        }
        const found = codes(() => instanceOfProfile(readProfile([file('f', text)]), { ...request, microbatches: 3 }))
        if (found.length > 0) refused++
        else read++
      }
    expect(refused).toBeGreaterThan(200)
    expect(read).toBeGreaterThan(50)
  })
})
