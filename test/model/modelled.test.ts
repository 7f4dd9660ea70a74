import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { maximum, sum } from '../../src/base/arrays.ts'
import { parseInstance } from '../../src/instance/index.ts'
import { loadInstance } from '../../src/model/load.ts'

const config = (name: string) =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../../examples/configs', name), 'utf8'))

/** The 512-die case of the reconstruction: DeepSeek-V3 behind the vision tower of Qwen2-VL. */
const alpha = {
  format: 'tropipe.instance/1',
  name: 'alpha',
  ranks: 8,
  microbatches: 64,
  model: config('deepseek-v3.json'),
  vision: config('qwen2-vl-vit.json'),
  hardware: 'cloudmatrix384',
  parallel: { tp: 8, dp: 8, ep: 64, visionShare: 1 },
  workload: { kind: 'uniform', visualTokens: 3072, tokensPerImage: 1024 }
}
const small = {
  format: 'tropipe.instance/1',
  name: 'small',
  ranks: 4,
  microbatches: 6,
  model: config('qwen2.5-vl-7b.json'),
  hardware: 'ascend-910c',
  parallel: { tp: 2 },
  workload: { kind: 'heavy', visualTokens: 1500 },
  seed: 3
}

function load(document: unknown) {
  const loaded = loadInstance(JSON.stringify(document), 'json')
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults, null, 1))
  return loaded
}

function faults(document: unknown) {
  const loaded = loadInstance(JSON.stringify(document), 'json')
  return loaded.ok ? [] : loaded.faults
}

const slab = (document: unknown, region: number, stage: number) => load(document).document.regions[region].stages[stage]

describe('images as encoder tasks', () => {
  it('takes the drawn images by their patches, at most 64 to a microbatch', () => {
    const workload = { kind: 'counts', counts: [[100, 300], [], [200], [64]] }
    const { document, modelled } = load({ ...small, microbatches: 4, workload, options: { items: 'images' } })
    const loads = modelled?.loads ?? []
    expect(loads.map(list => list.length)).toEqual([2, 0, 1, 1])
    expect(document.options.items).toEqual([loads[0], 1, loads[2], loads[3]])
    const many = { kind: 'counts', counts: Array.from({ length: 4 }, () => Array.from({ length: 100 }, () => 16)) }
    const crowded = load({ ...small, microbatches: 4, workload: many, options: { items: 'images', chunks: 2 } })
    const items = crowded.document.options.items as number[][]
    expect(items.map(list => list.length)).toEqual([50, 50, 50, 50])
    expect(new Set(items.flat()).size).toBe(1)
    expect(crowded.measured.chunks).toBe(2)
  })

  it('other words are faults, and the measured form has no word for it', () => {
    expect(faults({ ...small, options: { items: 'pictures' } }).map(fault => fault.path)).toContain('options.items')
    const { document } = load(small)
    expect(faults({ ...document, options: { items: 'images' } }).map(fault => fault.path)).toContain('options.items')
  })
})

describe('the modelled form', () => {
  it('becomes a measured instance that reads back unchanged', () => {
    const { document, measured, modelled } = load(small)
    const again = parseInstance(JSON.stringify(document), 'json')
    expect(again.ok && again.measured.hash).toBe(measured.hash)
    expect(document.schedule).toBe('<transpose, 1f1b>')
    expect(document.regions.map(region => region.stages.length)).toEqual([1, 4])
    expect(modelled?.derivations.length).toBeGreaterThan(8)
    expect(modelled?.assumptions.some(one => one.field === 'hardware.deviceUnit' && one.value === 'die')).toBe(true)
    expect(document.dedicated?.stages.length).toBe(3)
    expect(load(small).measured.hash).toBe(measured.hash)
    expect(load({ ...small, seed: 4 }).measured.hash).not.toBe(measured.hash)
  })

  it('lands near the reconstruction of Experiment A from sizes alone', () => {
    const { document, modelled } = load(alpha)
    const [vision, llm] = document.regions
    // T = forward and backward over all stages: 1.24 s there; E: 0.234 s with 21-22 % of a die, 0.15 here.
    const total = sum(llm.stages.map(one => (one.forward as number) + (one.backward as number)))
    expect(total / 1e6).toBeGreaterThan(1.1)
    expect(total / 1e6).toBeLessThan(1.35)
    const encode = maximum(vision.stages[0].forward as number[]) / 1e6
    expect(encode * (0.15 / 0.215)).toBeGreaterThan(0.2)
    expect(encode * (0.15 / 0.215)).toBeLessThan(0.35)
    expect(modelled?.seams.every(seam => seam.hop === 'supernode')).toBe(true)
    expect(modelled?.warnings).toEqual([])
  })

  it('refuses memory that no cut satisfies, with the bytes and what to change', () => {
    const [fault] = faults({ ...alpha, parallel: { ...alpha.parallel, ep: 8 } })
    expect(fault.code).toBe('MEMORY_NO_CUT')
    expect(fault.message).toMatch(/74\.5 GiB per device .* a die offers 58 GiB: no cut fits/)
    expect(fault.advice).toMatch(/ep \(8\)/)
  })

  it('weights and gradients alone: 58.6 GiB for EP8 in the reference, and 6 bytes per parameter here', () => {
    // Every layer of the 61 and both tables at 6 bytes over 8 ranks; experts over 8, the rest over 8 members.
    const { document } = load({
      ...alpha,
      parallel: { ...alpha.parallel, dp: 64, ep: 8 },
      hardware: 'ascend-910c-card'
    })
    const bytes = sum(document.regions[1].stages.map(one => one.parameters)) / 8
    const optimizer = 12 / 64
    expect((bytes * 6) / (6 + optimizer) / 2 ** 30).toBeGreaterThan(57)
    expect((bytes * 6) / (6 + optimizer) / 2 ** 30).toBeLessThan(60)
  })

  it('frozen tower, trained projector: two regions, and only the projector has a backward', () => {
    const { document } = load({ ...small, train: { vision: false, projector: true } })
    expect(document.schedule).toBe('<transpose, transpose, 1f1b>')
    expect(document.regions.map(region => [region.name, region.trainable])).toEqual([
      ['vision', false],
      ['projector', true],
      ['llm', true]
    ])
    expect(sum(document.regions[0].stages[0].backward as number[])).toBe(0)
    expect(Object.keys(document.communication.reduce)).toEqual(['llm', 'projector'])
  })

  it('everything trained costs twice the forward, frozen text once', () => {
    const trained = load({ ...small, train: { vision: true } }).document
    const { forward, backward } = trained.regions[0].stages[0]
    ;(forward as number[]).forEach((ticks, m) => {
      expect(Math.abs((backward as number[])[m] - 2 * ticks)).toBeLessThanOrEqual(2)
    })
    expect(trained.communication.broadcast).toBeGreaterThan(0)
    const frozen = slab({ ...small, train: { vision: true, text: false } }, 1, 1)
    expect(Math.abs((frozen.backward as number) - (frozen.forward as number))).toBeLessThanOrEqual(1)
  })

  it('parallelism and recomputation move time and memory the right way', () => {
    const base = slab(small, 1, 1)
    const of = (parallel: object, cost = {}) => slab({ ...small, parallel: { tp: 2, ...parallel }, cost }, 1, 1)
    const tp4 = of({ tp: 4 })
    expect(Math.abs((base.forward as number) / (tp4.forward as number) - 2)).toBeLessThan(0.01)
    expect(base.parameters / tp4.parameters).toBeCloseTo(2, 5)
    expect(base.activation / tp4.activation).toBeCloseTo(2, 5)
    const plain = of({ sequenceParallel: false })
    expect(plain.activation).toBeGreaterThan(1.2 * base.activation)
    expect(of({ cp: 2 }).activation).toBeCloseTo(base.activation / 2, -1)
    const zero = of({ dp: 4 })
    expect(base.parameters / zero.parameters).toBeCloseTo(18 / (6 + 12 / 4), 5)
    expect(of({ dp: 4, zero1: false }).parameters).toBe(base.parameters)
    const full = of({}, { recompute: 'full' })
    expect((full.backward as number) / (full.forward as number)).toBeCloseTo(3, 3)
    expect(full.activation).toBeLessThan(base.activation / 8)
    const some = of({ recomputedLayers: [0, 3, 0, 0] })
    expect(some.activation).toBeLessThan(base.activation)
    expect(some.backward as number).toBeGreaterThan(base.backward as number)
    const scores = of({}, { flash: false })
    expect(scores.activation).toBeGreaterThan(of({}, { flash: false, recompute: 'selective' }).activation)
    expect(of({}, { flash: false, recompute: 'selective' }).activation).toBe(base.activation)
  })

  it('roofline mode adds exchanges, and they grow with the group', () => {
    const of = (parallel: object) =>
      load({ ...alpha, parallel: { ...alpha.parallel, ...parallel }, cost: { efficiency: 'roofline' } })
    const stage = of({}).document.regions[1].stages[3].forward as number
    const exchange = of({}).modelled?.derivations.find(one => one.path === 'regions.llm.stages[3]')
    expect(exchange?.why).toContain('us of exchanges')
    expect(stage).toBeGreaterThan((5.482e12 / 353.9e12 / 0.7) * 1e6)
  })

  it('plans for the slowest data-parallel group, or the envelope of all', () => {
    const grouped = { ...small, parallel: { tp: 2, dp: 8, zero1: false } }
    const slowest = load(grouped).document.regions[0].stages[0].forward as number[]
    const envelope = load({ ...grouped, groups: 'envelope' }).document.regions[0].stages[0].forward as number[]
    const alone = load(small).document.regions[0].stages[0].forward as number[]
    expect(sum(slowest)).toBeGreaterThanOrEqual(sum(alone))
    expect(sum(envelope)).toBeGreaterThan(sum(slowest))
    slowest.forEach((ticks, m) => {
      expect(envelope[m]).toBeGreaterThanOrEqual(ticks)
    })
  })

  it('a slower part never makes anything faster', () => {
    const fast = load(alpha).document
    const slow = load({ ...alpha, hardware: { preset: 'cloudmatrix384', bf16Tflops: 200, supernodeGBs: 50 } }).document
    fast.regions.forEach((region, r) => {
      region.stages.forEach((one, s) => {
        expect(maximum([slow.regions[r].stages[s].forward].flat())).toBeGreaterThan(maximum([one.forward].flat()))
      })
    })
    expect(slow.communication.send).toBeGreaterThan(fast.communication.send)
  })

  it('text-only microbatches have no encoder work', () => {
    const forward = load({ ...small, microbatches: 40, workload: { kind: 'mixed', textShare: 0.5 } }).document
      .regions[0].stages[0].forward as number[]
    expect(forward.filter(ticks => ticks === 0).length).toBeGreaterThan(8)
    expect(forward.filter(ticks => ticks > 0).length).toBeGreaterThan(8)
  })

  it('a text model alone is a plain pipeline', () => {
    const { document } = load({ ...alpha, vision: undefined })
    expect(document.schedule).toBe('<1f1b>')
    expect(document.dedicated).toBeUndefined()
  })
})

describe('faults of the modelled form', () => {
  const codes = (change: object, base: object = small) => faults({ ...base, ...change }).map(fault => fault.code)

  it('come with path and advice, all fields at once', () => {
    const report = faults({ ...small, ranks: 0, paralel: {}, parallel: { tp: 'two', sequenc: 3 } })
    expect(report.map(fault => fault.path).sort()).toEqual(['paralel', 'parallel.sequenc', 'parallel.tp', 'ranks'])
    expect(report.find(fault => fault.path === 'parallel.sequenc')?.advice).toContain('sequence')
  })

  it('contradictions between the parts', () => {
    expect(codes({ ranks: undefined })).toEqual(['MISSING'])
    expect(codes({ parallel: { pp: 8 } })).toEqual(['MISSING'])
    expect(codes({ ranks: 40 })).toContain('CUT_TOO_FEW_LAYERS')
    expect(codes({ parallel: { layers: [7, 7, 7, 6] } })).toEqual(['CUT_SUM'])
    expect(faults({ ...small, parallel: { layers: [7, 7, 7, 6] } })[0].message).toBe('27 of 28 layers placed')
    expect(codes({ parallel: { layers: [14, 14] } })).toEqual(['CUT_LENGTH'])
    expect(codes({ parallel: { tp: 3 } })).toContain('PARALLEL_TENSOR')
    expect(codes({ parallel: { ep: 2 } })).toEqual(['PARALLEL_EXPERT'])
    expect(codes({ parallel: { ...alpha.parallel, ep: 48 } }, alpha)).toEqual(['PARALLEL_EXPERT'])
    expect(codes({ parallel: { sequence: 4095, cp: 2 } })).toContain('PARALLEL_SEQUENCE')
    expect(codes({ parallel: { visionShare: 4 } })).toEqual(['PARALLEL_VISION'])
    expect(codes({ cost: { predictions: 1 } })).toEqual(['MODEL_PREDICTIONS'])
    expect(codes({ workload: { kind: 'uniform', visualTokens: 9000 } })).toEqual(['WORKLOAD_TOO_LONG'])
    expect(codes({ schedule: '<1f1b>' }).length).toBeGreaterThan(0)
  })

  it('hardware that cannot be', () => {
    expect(codes({ hardware: 'b9000' })).toEqual(['HARDWARE_UNKNOWN'])
    expect(codes({ hardware: { preset: 'h100', memoryGiB: 8e10 } })).toEqual(['HARDWARE_RANGE'])
    expect(codes({ hardware: { bf16Tflops: 100 } })).toEqual(['HARDWARE_INCOMPLETE'])
    const [slow] = faults({ ...small, hardware: { preset: 'h100', bf16Tflops: 0.0009 } })
    expect([slow.code, /longer than an epoch/.test(slow.message)]).toEqual(['UNIT_IMPLAUSIBLE', true])
    expect(codes({ hardware: { preset: 'h100', hbm: 3 } })).toEqual(['UNKNOWN_KEY'])
    const inline = { bf16Tflops: 400, memoryGiB: 96, bandwidthGBs: 3000, nodeGBs: 200 }
    expect(codes({ hardware: inline })).toEqual([])
  })
})
