import { range } from '../../base/arrays.ts'
import { checkInstance, measure } from '../../instance/index.ts'
import type { InstanceDocument } from '../../instance/schema.ts'
import { evenCut } from '../../model/plan.ts'
import { randomOf, unitLognormal } from '../../model/random.ts'
import type { Measured } from '../../schedule/measured.ts'

/** A step time that was published, in seconds. */
export type Published = { readonly baseline: number; readonly transposed: number }

/**
 * One reading of a published experiment. Two published numbers fix two unknowns: the encoder's time per microbatch
 * (forward, and backward where trained) and the backbone's time per layer; P and M are a choice. Times in seconds.
 */
export type Reading = {
  readonly id: string
  readonly experiment: 'A' | 'B'
  readonly title: string
  readonly ranks: number
  readonly microbatches: number
  /** Encoder forward of one microbatch. */
  readonly encode: number
  readonly trainable: boolean
  /** Forward and backward of the largest stage with P stages, and with P-1 where the encoder has one of its own. */
  readonly stage: number
  readonly dedicatedStage: number
  readonly baseline: 'dedicated' | 'inline'
  readonly why: string
}

/** What the paper reports (arXiv 2607.03229), in seconds per step. */
export const PUBLISHED: Readonly<Record<Reading['experiment'], Published>> = {
  A: { baseline: 16.26, transposed: 13.42 },
  B: { baseline: 11.01, transposed: 4.07 }
}

/** Layers of DeepSeek-V3: the largest of P stages has ceil(61 / P) of them. */
const LAYERS = 61

function largest(stages: number): number {
  return Math.ceil(LAYERS / stages)
}

const A = { experiment: 'A', baseline: 'dedicated' } as const
const B = { experiment: 'B', baseline: 'inline' } as const

/** Readings that reproduce both published numbers, the recommended one of each experiment first. */
export const READINGS: readonly Reading[] = [
  {
    ...A,
    id: 'A-alpha',
    title: 'encoder-bound: P 8, M 64, frozen',
    ranks: 8,
    microbatches: 64,
    encode: 0.234,
    trainable: false,
    stage: 0.1626,
    dedicatedStage: 0.182925,
    why: 'P, M of the one published 512-NPU script of this model family; E and T fall inside the remark 200-300 ms and over 1 s'
  },
  {
    ...A,
    id: 'A-alpha-trained',
    title: 'encoder-bound: P 8, M 64, trained, owner backward',
    ranks: 8,
    microbatches: 64,
    encode: 0.24051 / 3,
    trainable: true,
    stage: 0.16191,
    dedicatedStage: (0.16191 / largest(8)) * largest(7),
    why: 'as A-alpha with forward and backward of the encoder in E'
  },
  {
    ...A,
    id: 'A-beta',
    title: 'freed stage: P 4, M 12, frozen',
    ranks: 4,
    microbatches: 12,
    encode: 0.25,
    trainable: false,
    stage: (3.37 / LAYERS) * largest(4),
    dedicatedStage: (3.37 / LAYERS) * largest(3),
    why: '21 against 16 layers in the largest stage explain the speedup alone; E anywhere in 200-300 ms'
  },
  {
    ...A,
    id: 'A-gamma',
    title: 'freed stage: P 16, M 32, frozen',
    ranks: 16,
    microbatches: 32,
    encode: 0.25,
    trainable: false,
    stage: (4.354 / LAYERS) * largest(16),
    dedicatedStage: (4.354 / LAYERS) * largest(15),
    why: '5 against 4 layers in the largest stage explain the speedup alone'
  },
  {
    ...B,
    id: 'B-8x8',
    title: 'P 8, M 8, frozen',
    ranks: 8,
    microbatches: 8,
    encode: 1.122,
    trainable: false,
    stage: 0.1965,
    dedicatedStage: (0.1965 * 8) / 7,
    why: 'eight devices as eight ranks; the encoder time then includes image decoding'
  },
  {
    ...B,
    id: 'B-8x8-trained',
    title: 'P 8, M 8, trained, owner backward',
    ranks: 8,
    microbatches: 8,
    encode: 1.1838 / 3,
    trainable: true,
    stage: 0.19242,
    dedicatedStage: (0.19242 * 8) / 7,
    why: 'ordinary encoder efficiency of 11.5 %'
  },
  {
    ...B,
    id: 'B-8x16',
    title: 'P 8, M 16, frozen',
    ranks: 8,
    microbatches: 16,
    encode: 0.5391,
    trainable: false,
    stage: 0.13008,
    dedicatedStage: (0.13008 * 8) / 7,
    why: 'as B-8x8 with smaller microbatches'
  },
  {
    ...B,
    id: 'B-4x16',
    title: 'P 4, M 16, frozen',
    ranks: 4,
    microbatches: 16,
    encode: 0.5932,
    trainable: false,
    stage: 0.08933,
    dedicatedStage: (0.08933 * 4) / 3,
    why: 'two devices per rank'
  }
]

/** What all readings take for granted. */
export const ASSUMED: readonly string[] = [
  'a reconstruction, not data of the authors: two published numbers cannot identify more than two unknowns',
  'backward = 2 x forward; no transfers, data-parallel exchange or optimizer in the step; no recomputation',
  'equal stages with the layers of the largest one; encoder whole on every rank; uniform microbatches',
  'unknown: P, M, sequence length, parallelism, which parts are trained, dies or cards, what the timer spans'
]

/** Sizes of an instance of a sweep; times in seconds. */
export type Sizes = Pick<Reading, 'ranks' | 'microbatches' | 'encode' | 'trainable' | 'stage' | 'dedicatedStage'> & {
  readonly name: string
  /** Coefficient of variation of the encoder time over microbatches, and the seed that draws it. */
  readonly variation?: number
  readonly seed?: number
}

/** The instance of a reading: equal stages, B = 2F, no transfers; times in microseconds. */
export function instanceOf(sizes: Sizes): Measured {
  return measure(documentOf(sizes))
}

function documentOf(sizes: Sizes): InstanceDocument {
  const { ranks, microbatches, encode, trainable, stage, dedicatedStage, variation = 0, seed = 0 } = sizes
  const random = randomOf(seed)
  const us = (seconds: number) => Math.round(seconds * 1e6)
  const forward = range(microbatches).map(() => us(encode * unitLognormal(random, variation)))
  const slab = (both: number) => ({ forward: us(both / 3), backward: us((both * 2) / 3) })
  const checked = checkInstance({
    format: 'tropipe.instance/1',
    name: sizes.name,
    unit: 'us',
    ranks,
    microbatches,
    schedule: '<transpose, 1f1b>',
    regions: [
      { name: 'vision', trainable, stages: [{ forward, backward: trainable ? forward.map(ticks => 2 * ticks) : 0 }] },
      { name: 'llm', trainable: true, stages: range(ranks).map(() => slab(stage)) }
    ],
    ...(ranks > 1 ? { dedicated: { stages: range(ranks - 1).map(() => slab(dedicatedStage)) } } : {})
  } as never)
  if (!checked.ok) throw new Error(JSON.stringify(checked.faults))
  return checked.document
}

/** Times of the largest stage when `total` seconds per microbatch are spread over P and over P-1 stages of 61 layers. */
export function stageOf(total: number, ranks: number): { readonly stage: number; readonly dedicatedStage: number } {
  const worst = (stages: number) => (total / LAYERS) * evenCut(LAYERS, stages)[0]
  return { stage: worst(ranks), dedicatedStage: worst(Math.max(1, ranks - 1)) }
}
