import { describe, expect, it } from 'vitest'
import { encoderShare, instanceAt } from '../../src/compare/sweep/apply.ts'
import { gridOf, parseAxis, pointText } from '../../src/compare/sweep/axes.ts'
import { mergeRecords, parseStore, recordLine, type SweepRecord } from '../../src/compare/sweep/record.ts'
import { runSweep, type SweepPlan, tasksOf } from '../../src/compare/sweep/run.ts'
import { parseShard } from '../../src/compare/sweep/shard.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { sweepCharts } from '../../src/report/html/sweep.ts'
import { PLAIN } from '../../src/report/text/style.ts'
import { sweepCsv, sweepMarkdown, sweepText } from '../../src/report/text/sweep.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { measuredOf } from '../support/staged.ts'

const measured = measuredOf({
  name: 'vlm',
  ranks: 4,
  microbatches: 4,
  stages: [10, 11, 12, 13].map(forward => ({ forward, backward: 20, activation: 100, parameters: 7 })),
  encoder: { forward: [6, 0, 9, 1], backward: 2 },
  communication: { send: 1, gather: 1, scatter: 1 },
  capacity: [1000, 1000, 1000, 1000]
})
const at = (point: Parameters<typeof instanceAt>[1]) => instanceAt(measured, point) as Measured

describe('parseAxis', () => {
  it('reads ranges, lists and numbers of points', () => {
    expect(parseAxis('ranks=2..5')).toEqual({ name: 'ranks', values: [2, 3, 4, 5] })
    expect(parseAxis('ranks=2..16:3').values).toEqual([2, 9, 16])
    expect(parseAxis('microbatches=8,4,8').values).toEqual([4, 8])
    expect(parseAxis('encoder=0.1..4').values).toHaveLength(9)
    expect(parseAxis('encoder=0.25..4:3').values).toEqual([0.25, 1, 4])
    expect(parseAxis('encoder=2..2').values).toEqual([2])
  })

  it.each([
    'ranks=0..3',
    'ranks=1.5',
    'ranks=5..2',
    'waves=1',
    'encoder=',
    'encoder=-1',
    'ranks',
    'encoder=0,1',
    '__proto__=1'
  ])('refuses %s', text => expect(() => parseAxis(text)).toThrow(/SWEEP_SYNTAX/))

  it('makes a grid, the last axis fastest, each axis once', () => {
    const points = gridOf([parseAxis('ranks=2,4'), parseAxis('encoder=1,2')])
    expect(points.map(pointText)).toEqual([
      'ranks=2 encoder=1',
      'ranks=2 encoder=2',
      'ranks=4 encoder=1',
      'ranks=4 encoder=2'
    ])
    expect(gridOf([])).toEqual([{}])
    expect(() => gridOf([parseAxis('ranks=2'), parseAxis('ranks=4')])).toThrow(/SWEEP_AXIS/)
  })
})

describe('instanceAt', () => {
  const totals = ({ regions }: Measured) => {
    const slabs = regions[1].stages.flat()
    const add = (of: (slab: (typeof slabs)[number]) => number) => slabs.reduce((total, slab) => total + of(slab), 0)
    return [add(slab => slab.forward[0]), add(slab => slab.activation), add(slab => slab.parameters), slabs.length]
  }

  it('cuts the backbone anew and keeps its totals', () => {
    expect(totals(at({ ranks: 2 }))).toEqual([46, 400, 28, 2])
    expect(totals(at({ ranks: 7 }))).toEqual([46, 400, 28, 7])
    expect(at({ ranks: 7 }).capacity).toHaveLength(7)
  })

  it('repeats microbatches in a cycle', () => {
    expect(at({ microbatches: 6 }).regions[0].stages[0][0].forward).toEqual([6, 0, 9, 1, 6, 0])
  })

  it('keeps every list per microbatch, or per rank, of the size that it must have', () => {
    const slabs = measured.regions[1].stages.flat()
    const cuts = { items: [[1], [1, 2], [1], [3]], inlineBest: slabs, dedicatedBest: slabs.slice(1) }
    const more = instanceAt({ ...measured, ...cuts }, { microbatches: 6 }) as Measured
    expect(more.items).toEqual([[1], [1, 2], [1], [3], [1], [1, 2]])
    expect(more.inlineBest?.every(slab => slab.forward.length === 6)).toBe(true)
    expect(buildProblem(more).events.filter(({ key }) => key.kind === 'E' && key.item === 1)).toHaveLength(0)
    const fewer = instanceAt({ ...measured, ...cuts }, { ranks: 2 }) as Measured
    expect([fewer.inlineBest, fewer.dedicatedBest]).toEqual([undefined, undefined])
  })

  it('cuts encoder tasks into chunks, where there is a transposed encoder', () => {
    const encodes = (chunks: number) =>
      buildProblem(at({ chunks })).events.filter(({ key }) => key.kind === 'E' && key.microbatch === 2)
    expect([1, 2, 4].map(chunks => encodes(chunks).length)).toEqual([1, 2, 4])
    expect(instanceAt({ ...measured, regions: measured.regions.slice(1) }, { chunks: 2 })).toMatch(/transposed/)
    expect(instanceAt(measured, { chunks: 65 })).toMatch(/64/)
  })

  it('scales the encoder, keeps what has no work without work, and the rest at least one tick', () => {
    expect(at({ encoder: 0.1 }).regions[0].stages[0][0].forward).toEqual([1, 0, 1, 1])
    expect(at({ encoder: 2.5 }).regions[0].stages[0][0].forward).toEqual([15, 0, 23, 3])
    expect(at({ encoder: 2 }).regions[1]).toEqual(measured.regions[1])
    expect(at({ communication: 3 }).communication.send).toBe(3)
    expect(at({ capacity: 0.5 }).capacity).toEqual([500, 500, 500, 500])
  })

  it('names the point, and leaves the instance alone where nothing is swept', () => {
    expect(at({ ranks: 2, encoder: 2 })).toMatchObject({
      name: 'vlm ranks=2 encoder=2',
      hash: 'test ranks=2 encoder=2'
    })
    expect(at({})).toEqual(measured)
  })

  it('the share of the encoder grows with its factor', () => {
    const shares = [0.5, 1, 4].map(encoder => encoderShare(at({ encoder })))
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(encoderShare(measured)).toBeCloseTo((16 + 8) / (16 + 8 + 4 * 46 + 4 * 80), 12)
  })

  it('refuses ranks where there are several backbone regions', () => {
    const [vision, llm] = measured.regions
    const two = {
      ...measured,
      regions: [
        vision,
        { ...llm, stages: llm.stages.slice(0, 2) },
        { ...llm, name: 'head', stages: llm.stages.slice(2) }
      ]
    }
    expect(instanceAt(two, { ranks: 2 })).toContain('exactly one backbone region')
  })
})

describe('parseShard', () => {
  it('reads i/n, Slurm arrays and Kubernetes indexed jobs', () => {
    expect(parseShard('2/4', {})).toEqual({ index: 1, count: 4 })
    const slurm = {
      SLURM_ARRAY_TASK_ID: '14',
      SLURM_ARRAY_TASK_MIN: '10',
      SLURM_ARRAY_TASK_STEP: '2',
      SLURM_ARRAY_TASK_COUNT: '5'
    }
    expect(parseShard('auto', slurm)).toEqual({ index: 2, count: 5 })
    expect(parseShard('auto/8', { JOB_COMPLETION_INDEX: '3' })).toEqual({ index: 3, count: 8 })
    expect(parseShard('auto', { JOB_COMPLETION_INDEX: '3', JOB_COMPLETIONS: '4' })).toEqual({ index: 3, count: 4 })
  })

  it('refuses what is no part', () => {
    for (const text of ['0/4', '5/4', '1/0', 'first', '1-4']) expect(() => parseShard(text, {})).toThrow(/SHARD_SYNTAX/)
    expect(() => parseShard('auto', {})).toThrow(/NO_SHARD_VARIABLES/)
    expect(() => parseShard('auto', { JOB_COMPLETION_INDEX: '1' })).toThrow(/number of shards/)
    expect(() => parseShard('auto/2', { JOB_COMPLETION_INDEX: '2' })).toThrow(/SHARD_SYNTAX/)
  })
})

const plan = (shard = { index: 0, count: 1 }): SweepPlan => ({
  instances: [measured],
  axes: [parseAxis('ranks=2..4'), parseAxis('encoder=0.5,1,3')],
  families: ['inline', 'transpose-full', 'transpose-greedy', 'zbv'].map(id => familyById(id)!),
  settings: 'heuristics',
  shard
})

async function sweep(of: SweepPlan, known: readonly SweepRecord[] = [], stopAfter = Number.POSITIVE_INFINITY) {
  const kept: SweepRecord[] = []
  const control = new AbortController()
  const finished = await runSweep(of, new Set(known.map(record => record.key)), {
    signal: control.signal,
    keep: async record => {
      kept.push(record)
      if (kept.length >= stopAfter) control.abort()
    }
  })
  return { kept, finished }
}

describe('runSweep', () => {
  it('deals points to shards, each once, and their merge is the run without shards', async () => {
    const whole = await sweep(plan())
    const shards = [await sweep(plan({ index: 0, count: 2 })), await sweep(plan({ index: 1, count: 2 }))]
    expect(shards.map(shard => shard.kept.length)).toEqual([5, 4])
    expect(mergeRecords(shards.map(shard => shard.kept))).toEqual(whole.kept)
    const doubled = [...shards, shards[0]].map(shard => shard.kept)
    expect(sweepText(mergeRecords(doubled), PLAIN)).toBe(sweepText(whole.kept, PLAIN))
  })

  it('resumes after a stop without computing a point twice', async () => {
    const first = await sweep(plan(), [], 4)
    expect([first.finished, first.kept.length]).toEqual([false, 4])
    const second = await sweep(plan(), first.kept)
    expect([second.finished, second.kept.length]).toEqual([true, 5])
    expect(mergeRecords([first.kept, second.kept])).toEqual((await sweep(plan())).kept)
  })

  it('computes anew what depends on something else', () => {
    const keys = (change: Partial<SweepPlan>) => tasksOf({ ...plan(), ...change }).map(task => task.key)
    const all = [
      keys({}),
      keys({ baseline: 'zbv' }),
      keys({ settings: { seed: 2 } }),
      keys({ instances: [{ ...measured, hash: 'x' }] })
    ]
    expect(new Set(all.flat()).size).toBe(4 * 9)
    expect(keys({})).toEqual(keys({}))
  })
})

describe('stores', () => {
  it('read back what was written, and leave out a torn last line only', async () => {
    const { kept } = await sweep(plan())
    const text = kept.map(recordLine).join('')
    expect(parseStore(text, 's')).toEqual({ records: kept, torn: false })
    const torn = parseStore(text.slice(0, -20), 's')
    expect([torn.records.length, torn.torn]).toEqual([8, true])
    expect(parseStore('', 's')).toEqual({ records: [], torn: false })
    expect(() => parseStore('{"format":"other"}\nnonsense\n', 's')).toThrow(/s:1.*\n.*s:2/)
  })
})

describe('sweep tables', () => {
  it('list points with speedups, as text, Markdown and CSV', async () => {
    const { kept } = await sweep({ ...plan(), axes: [parseAxis('encoder=1,3')] })
    expect(sweepText(kept, PLAIN)).toMatchInlineSnapshot(`
      "  encoder   share  baseline  inline  transpose-full  transpose-greedy
              1   4.5 %    240 us  1.000x          0.996x            0.992x
              3  12.5 %    256 us  1.000x          0.996x            0.992x

        share: of the encoder in all work; speedups over inline.
      "
    `)
    expect(sweepMarkdown(kept)).toContain('| encoder | share | baseline | inline |')
    const [head, first] = sweepCsv(kept).split('\r\n')
    expect(head).toBe('instance,encoder,encoderShare,family,makespan,unit,speedup,bubbleRatio,legal,refused')
    expect(first.startsWith('vlm encoder=1,1,0.0')).toBe(true)
  })

  it('draw speedup against the encoder share', async () => {
    const { kept } = await sweep({ ...plan(), axes: [parseAxis('encoder=0.5,1,3')] })
    const [chart] = sweepCharts(kept)
    expect(chart.svg).toContain('Speedup against encoder share')
    expect(chart.svg).toContain('>transpose-full</text>')
    expect(chart.svg).not.toContain('zbv')
  })
})
