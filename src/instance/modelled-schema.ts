import * as z from 'zod'
import type { Fault } from '../base/fault.ts'
import { schemaFaults } from './issues.ts'
import { LIMITS } from './limits.ts'
import { itemsSchema, optionsSchema, plainName } from './schema.ts'

const count = (most: number) => z.int().min(1).max(most)
const share = z.number().min(0).max(1)
const config = z.record(z.string(), z.unknown())

const parallelSchema = z
  .strictObject({
    tp: count(1024).default(1).describe('Tensor-parallel members.'),
    cp: count(1024).default(1).describe('Context-parallel members.'),
    dp: count(65_536).default(1).describe('Data-parallel replicas of the pipeline.'),
    ep: count(65_536).default(1).describe('Expert-parallel members, out of tp x cp x dp.'),
    pp: count(LIMITS.ranks).optional().describe('Pipeline ranks; `ranks` under the name of other tools.'),
    chunks: count(64).default(1).describe('Stages per rank (interleaved).'),
    sequenceParallel: z.boolean().optional().describe('Default: on where tp > 1.'),
    zero1: z.boolean().default(true).describe('Optimizer states spread over data-parallel members.'),
    microbatchSize: count(65_536).default(1).describe('Sequences per microbatch.'),
    sequence: count(16_777_216).default(4096).describe('Tokens per sequence.'),
    visionShare: count(1024).optional().describe('Devices of a rank that share its encoder work; default tp x cp.'),
    order: z.enum(['replica-first', 'pipeline-first']).default('replica-first').describe('How ranks lie on devices.'),
    layers: z.array(z.int().min(0)).optional().describe('Text layers per stage; default even.'),
    recomputedLayers: z.array(z.int().min(0)).optional().describe('Fully recomputed layers per stage.')
  })
  .describe('How the model is spread over devices.')

const spreadSchema = z.strictObject({
  kind: z.enum(['uniform', 'packed', 'fixed', 'heavy', 'mixed']),
  visualTokens: z.number().min(1).optional().describe('Mean visual tokens per microbatch; default half of its tokens.'),
  tokensPerImage: z.number().min(1).default(256).describe('Text tokens that one image becomes.'),
  variation: z.number().min(0).max(20).optional().describe('Coefficient of variation; default by kind.'),
  textShare: share.optional().describe('Share of text-only microbatches; default 0.25 for mixed, else 0.')
})
const laionSchema = z.strictObject({
  kind: z.literal('laion'),
  maxPixels: z.number().min(1).optional().describe('Pixel cap of an image, e.g. 262144.'),
  images: z
    .union([count(100_000), z.literal('packed')])
    .default('packed')
    .describe('Images per microbatch, or as many as fit.'),
  captionTokens: z.number().min(0).default(64).describe('Text tokens that go with each image.'),
  textShare: share.default(0)
})
const videoSchema = z.strictObject({
  kind: z.literal('video'),
  width: count(100_000).default(448),
  height: count(100_000).default(448),
  frames: count(100_000).default(16),
  variation: z.number().min(0).max(20).default(0.3)
})
const countsSchema = z.strictObject({
  kind: z.literal('counts'),
  counts: z.array(z.array(z.int().min(0))).describe('Visual tokens of each image, one list per microbatch.')
})

const trainSchema = z.strictObject({
  vision: z.boolean().default(false),
  projector: z.boolean().optional().describe('Default: as vision.'),
  text: z.boolean().default(true)
})

const costSchema = z.strictObject({
  efficiency: z
    .enum(['mfu', 'roofline'])
    .default('mfu')
    .describe('Sustained fraction of whole steps, or of kernels with exchanges added.'),
  recompute: z.enum(['none', 'selective', 'full']).default('none'),
  visionRecompute: z.enum(['none', 'full']).default('none').describe('The same for a trained vision tower.'),
  flash: z.boolean().default(true).describe('Flash attention: scores are never kept.'),
  split: z.boolean().default(false).describe('Backwards as input and weight parts, which may run apart.'),
  predictions: z.int().min(0).max(64).default(0).describe('Extra prediction layers that are trained.'),
  overhead: z.number().min(0).max(1e9).default(0).describe('Microseconds added to every forward and backward.')
})

/** The options of an instance; its items may be the images that the workload draws. */
const modelledOptions = optionsSchema.extend({
  items: z
    .union([z.literal('images'), itemsSchema])
    .optional()
    .describe('As in the measured form, or `images`: one encoder task per image (tile, frame) that the workload draws.')
})

/** `tropipe.instance/1`, modelled form: costs follow from a model config, hardware, parallelism and workload. */
export const modelledSchema = z
  .strictObject({
    format: z.literal('tropipe.instance/1'),
    name: plainName,
    description: z.string().max(10_000).optional(),
    source: z.string().max(10_000).optional(),
    unit: z.literal('us').default('us'),
    ranks: count(LIMITS.ranks).optional().describe('Pipeline ranks, P; or parallel.pp.'),
    microbatches: count(LIMITS.microbatches),
    schedule: z.string().max(10_000).optional(),
    model: config.describe('A Hugging Face config, as in config.json.'),
    vision: config.optional().describe('A second config whose vision tower is put in front.'),
    train: trainSchema.prefault({}),
    cost: costSchema.prefault({}),
    parallel: parallelSchema.prefault({}),
    hardware: z
      .union([z.string(), z.record(z.string(), z.union([z.string(), z.number()]))])
      .describe('A preset, or {preset, ...numbers that replace its own}.'),
    workload: z
      .discriminatedUnion('kind', [spreadSchema, laionSchema, videoSchema, countsSchema])
      .prefault({ kind: 'uniform' })
      .describe('Image tokens per microbatch.'),
    groups: z.enum(['slowest', 'envelope']).default('slowest'),
    seed: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
    options: modelledOptions.prefault({})
  })
  .describe('A training step whose costs are computed from a model, hardware and a workload.')

/** A valid modelled document with its defaults. */
export type ModelledDocument = z.output<typeof modelledSchema>

/** A modelled document, or every fault of its fields. */
export function checkModelled(
  value: Readonly<Record<string, unknown>>
):
  | { readonly ok: true; readonly document: ModelledDocument }
  | { readonly ok: false; readonly faults: readonly Fault[] } {
  const parsed = modelledSchema.safeParse(value)
  if (!parsed.success) return { ok: false, faults: schemaFaults(value, modelledSchema, parsed.error.issues) }
  const { data } = parsed
  if (data.ranks === undefined && data.parallel.pp === undefined)
    return { ok: false, faults: [rankFault('ranks is missing', 'Give ranks, or parallel.pp.')] }
  if (data.ranks !== undefined && data.parallel.pp !== undefined && data.ranks !== data.parallel.pp)
    return {
      ok: false,
      faults: [rankFault(`ranks ${data.ranks} and parallel.pp ${data.parallel.pp} differ`, 'Give one of them.')]
    }
  return { ok: true, document: data }
}

function rankFault(message: string, advice: string): Fault {
  return { code: 'MISSING', path: 'ranks', value: undefined, message, advice }
}
