import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { range, sum } from '../../src/base/arrays.ts'
import type { VisionModel } from '../../src/model/architecture.ts'
import { visionForward } from '../../src/model/flops.ts'
import { patchesOf, tokensOf } from '../../src/model/images.ts'
import { importHuggingFace } from '../../src/model/import/huggingface.ts'
import { randomOf, unitLognormal } from '../../src/model/random.ts'
import { drawLoads, drawSize, readCounts, type Workload } from '../../src/model/workload.ts'

const table = resolve(import.meta.dirname, '../../../shared/data/workload-laion-lognormal.json')
const config = (path: string) =>
  importHuggingFace(JSON.parse(readFileSync(resolve(import.meta.dirname, path), 'utf8'))).architecture
const qwen2 = config('../../examples/configs/qwen2-vl-vit.json').vision!
const llava = config('configs/llava-onevision-7b.json').vision!

const mean = (values: readonly number[]) => sum(values) / values.length
function variation(values: readonly number[]): number {
  const center = mean(values)
  return Math.sqrt(mean(values.map(value => (value - center) ** 2))) / center
}
const room = { microbatches: 64, groups: 2, tokens: 4096 }
const tokens = (load: readonly number[], vision: VisionModel = qwen2) =>
  sum(load.map(patches => tokensOf(vision, patches)))

describe('random numbers', () => {
  it('are the same for a seed and differ between streams', () => {
    const first = range(5).map(randomOf(7).uniform)
    expect(range(5).map(randomOf(7).uniform)).toEqual(first)
    expect(range(5).map(randomOf(7, 1).uniform)).not.toEqual(first)
    const normals = range(20000).map(randomOf(3).normal)
    expect(mean(normals)).toBeCloseTo(0, 1)
    expect(mean(normals.map(z => z * z))).toBeCloseTo(1, 1)
  })

  it('lognormal factors have mean 1 and the wanted variation', () => {
    const random = randomOf(11)
    for (const wanted of [0.15, 0.3, 0.6]) {
      const values = range(40000).map(() => unitLognormal(random, wanted))
      expect(Math.abs(mean(values) - 1)).toBeLessThan(0.02)
      expect(Math.abs(variation(values) - wanted)).toBeLessThan(0.03)
    }
    expect(unitLognormal(random, 0)).toBe(1)
  })
})

describe('image sizes', () => {
  it('native resolution rounds to merged patches inside the limits', () => {
    expect(patchesOf(qwen2, { width: 1245, height: 1245 })).toEqual([88 * 88])
    expect(patchesOf(qwen2, { width: 10, height: 10 })).toEqual([16])
    const [huge] = patchesOf(qwen2, { width: 20000, height: 20000 })
    expect(huge * 196).toBeLessThanOrEqual(12_845_056)
    expect(huge * 196).toBeGreaterThan(12_000_000)
  })

  it('tiles follow the shape of the image, with a thumbnail', () => {
    expect(patchesOf(llava, { width: 300, height: 300 })).toEqual([729])
    expect(patchesOf(llava, { width: 768, height: 768 }).length).toBe(5)
    expect(patchesOf(llava, { width: 768, height: 384 }).length).toBe(3)
    expect(patchesOf(llava, { width: 9000, height: 9000 }).length).toBe(10)
  })

  it.skipIf(!existsSync(table))('reproduce the reference distribution of tokens per image', () => {
    const rows = JSON.parse(readFileSync(table, 'utf8')).rows.filter(
      (row: { vit: string; max_pixels?: number }) => row.vit === 'Qwen2-VL ViT-675M' && 'llm_tokens_per_image' in row
    )
    expect(rows.length).toBe(3)
    for (const row of rows) {
      const random = randomOf(1)
      const vision: VisionModel = { ...qwen2, resolution: { kind: 'native', minPixels: 0, maxPixels: row.max_pixels } }
      const drawn = range(20000).map(() => patchesOf(vision, drawSize(random))[0])
      const counts = drawn.map(patches => tokensOf(vision, patches)).sort((a, b) => a - b)
      expect(Math.abs(mean(counts) / row.llm_tokens_per_image.mean - 1)).toBeLessThan(0.05)
      expect(Math.abs(counts[10000] / row.llm_tokens_per_image.p50 - 1)).toBeLessThan(0.05)
      const flops = mean(
        drawn.map(patches => visionForward(vision, [patches]).tower + visionForward(vision, [patches]).projector)
      )
      expect(Math.abs(flops / 1e12 / row.fwd_tflop_per_image.mean - 1)).toBeLessThan(0.15)
    }
  })
})

describe('workloads', () => {
  const spread = (kind: 'uniform' | 'packed' | 'fixed' | 'heavy' | 'mixed', more = {}): Workload => ({
    kind,
    visualTokens: 1500,
    tokensPerImage: 256,
    variation: { uniform: 0, packed: 0.15, fixed: 0.3, heavy: 0.6, mixed: 0.3 }[kind],
    textShare: kind === 'mixed' ? 0.25 : 0,
    ...more
  })

  it('are seeded, and a group does not depend on how many there are', () => {
    const once = drawLoads(spread('heavy'), qwen2, room, 5)
    expect(drawLoads(spread('heavy'), qwen2, room, 5)).toEqual(once)
    expect(drawLoads(spread('heavy'), qwen2, { ...room, groups: 4 }, 5).slice(0, 2)).toEqual(once)
    expect(drawLoads(spread('heavy'), qwen2, room, 6)).not.toEqual(once)
  })

  it('have the spread that their names promise', () => {
    const many = { microbatches: 2000, groups: 1, tokens: 100_000 }
    const of = (kind: 'uniform' | 'packed' | 'fixed' | 'heavy') =>
      variation(drawLoads(spread(kind), qwen2, many, 1)[0].map(load => tokens(load)))
    expect(of('uniform')).toBe(0)
    expect(of('packed')).toBeCloseTo(0.15, 1)
    expect(of('fixed')).toBeCloseTo(0.3, 1)
    expect(of('heavy')).toBeCloseTo(0.6, 1)
    const texts = drawLoads(spread('mixed'), qwen2, many, 1)[0].filter(load => load.length === 0)
    expect(texts.length / 2000).toBeCloseTo(0.25, 1)
  })

  it('never exceed the sequence', () => {
    const workloads: Workload[] = [
      spread('heavy', { visualTokens: 4000 }),
      { kind: 'laion', images: 'packed', captionTokens: 60, textShare: 0 },
      { kind: 'laion', images: 8, captionTokens: 0, textShare: 0.1 },
      { kind: 'video', width: 448, height: 448, frames: 32, variation: 0.5 }
    ]
    const loads = workloads.flatMap(workload => drawLoads(workload, qwen2, room, 2).flat())
    expect(loads.length).toBe(4 * 128)
    expect(Math.max(...loads.map(load => tokens(load)))).toBeLessThanOrEqual(4096)
    expect(loads.filter(load => load.length > 0).length).toBeGreaterThan(450)
  })

  it('video frames share patches in time', () => {
    const [[clip]] = drawLoads(
      { kind: 'video', width: 448, height: 448, frames: 8, variation: 0 },
      qwen2,
      { microbatches: 1, groups: 1, tokens: 8192 },
      1
    )
    expect(clip).toEqual([1024, 1024, 1024, 1024])
  })

  it('replay token counts, and refuse uneven groups', () => {
    const counts = readCounts('# two groups\n100 50\n\n7,8\n4096\n')
    expect(counts).toEqual([[100, 50], [], [7, 8], [4096]])
    const loads = drawLoads({ kind: 'counts', counts }, qwen2, { microbatches: 2, groups: 2, tokens: 4096 }, 0)
    expect(loads).toEqual([
      [[400, 200], []],
      [[28, 32], [16384]]
    ])
    const replay = (microbatches: number, size: number) => () =>
      drawLoads({ kind: 'counts', counts }, qwen2, { microbatches, groups: 2, tokens: size }, 0)
    expect(replay(3, 4096)).toThrow(/same number of microbatches/)
    expect(replay(2, 4000)).toThrow(/do not fit into 4000/)
    expect(() => readCounts('12 x')).toThrow(/"x" is not a number of visual tokens/)
  })
})
