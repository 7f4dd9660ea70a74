import * as z from 'zod'
import { LIMITS } from './limits.ts'
import { isPlainText, PLAIN_NAME } from './names.ts'

/** A finite number of at least 0; the negative zero becomes 0. */
const amount = z
  .number()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .overwrite(value => value + 0)

const duration = amount.describe('Time in `unit`; fractions become ticks exactly where possible.')
const bytes = amount.describe('Bytes; a fraction is rounded half up.')
const text = z.string().max(10_000).refine(isPlainText)

export const plainName = z
  .string()
  .regex(PLAIN_NAME)
  .describe('A letter, then letters, digits, "_", "-" or "."; at most 64 characters.')

const perMicrobatch = z
  .union([duration, z.array(duration)])
  .describe('One duration for all microbatches, or a list with one per microbatch.')

const splitBackward = z
  .strictObject({
    input: perMicrobatch.describe('Gradient of the input activation.'),
    weight: perMicrobatch.describe('Gradient of the weights; may run later than the input part.')
  })
  .describe('The backward in two parts that may run apart.')

const backward = z
  .union([duration, z.array(duration), splitBackward])
  .describe('Full backward: one duration, one per microbatch, or its input and weight parts.')

const slabSchema = z
  .strictObject({
    forward: perMicrobatch.describe(
      'Forward duration; 0 in a source region means that the microbatch has no such work.'
    ),
    backward,
    weightShare: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Share of the activation that a split backward keeps until its weight part ends; default 0.5.'),
    activation: bytes.default(0).describe('Bytes held from the start of the forward to the end of the backward.'),
    parameters: bytes.default(0).describe('Bytes of weights, gradients and optimizer state on the rank.'),
    output: bytes
      .default(0)
      .describe('Bytes of the encoder output per microbatch; read for the last slab of the source.')
  })
  .describe('One slab of layers.')

const regionSchema = z
  .strictObject({
    name: plainName,
    trainable: z.boolean().describe('Whether its parameters are trained.'),
    stages: z.array(slabSchema).min(1).describe('Slabs in depth order; a transposed region is the sum of its slabs.')
  })
  .describe('A contiguous part of the model that runs under one skeleton.')

const communicationSchema = z
  .strictObject({
    model: z
      .enum(['latency', 'link', 'blocking'])
      .default('latency')
      .describe('How transfers take part in the schedule.'),
    send: duration.default(0).describe('Between stages on different ranks, forward and backward.'),
    gather: duration.default(0).describe('From the owner of an encode to the first stage.'),
    scatter: duration.default(0).describe('From the first stage back to the owner, for its backward.'),
    broadcast: duration.default(0).describe('Of the replicated parameters, at the start of the step.'),
    reduce: z.record(z.string(), duration).default({}).describe('Weight-gradient reduction by region name.')
  })
  .describe('Transfers between ranks; 0 where not given.')

const bytesPerRank = z.union([bytes, z.array(bytes)])

const memorySchema = z
  .strictObject({
    capacity: bytesPerRank.optional().describe('Bytes per rank, one for all or one per rank; absent is unlimited.'),
    reserved: bytesPerRank.default(0).describe('Bytes per rank that are never free.')
  })
  .describe('Absent means unlimited.')

const overlapSchema = z
  .union([
    z.literal('sum'),
    z.strictObject({
      factor: z.number().min(0).max(1).describe('Share of F + B, to a millionth; 1 is no gain, as `sum`.')
    }),
    z.strictObject({ duration: duration.describe('The same time for every pair.') })
  ])
  .describe('Time that an overlapped pair of F and B takes, never less than the longer of the two; absent is `sum`.')
const count = z.int().min(1).max(LIMITS.encoderParts)

const itemsOfMicrobatch = z
  .union([count, z.array(z.int().min(1).max(LIMITS.itemShare)).min(1).max(LIMITS.encoderParts)])
  .describe('How many equal encoder tasks, or the relative size of each (image tokens, patches).')

export const itemsSchema = z
  .union([count, z.array(itemsOfMicrobatch)])
  .describe(
    'Encoder tasks (images) of a microbatch, each with an owner of its own: one count for all, or an entry per microbatch. Default 1.'
  )

export const optionsSchema = z.strictObject({
  encoderBackward: z
    .enum(['owner', 'first-rank'])
    .default('owner')
    .describe('Who runs the backward of a transposed encoder; the first rank recomputes.'),
  overlap: overlapSchema.optional(),
  roundSize: z
    .int()
    .min(1)
    .max(LIMITS.microbatches)
    .optional()
    .describe('Microbatches per round of the interleaved families; absent: as near P as M allows.'),
  chunks: count
    .optional()
    .describe('Layer groups that every task of a transposed encoder is cut into; they share a rank. Default 1.'),
  items: itemsSchema.optional()
})

const dedicatedSchema = z
  .strictObject({ stages: z.array(slabSchema).describe('The P-1 backbone slabs of ranks 1 to P-1.') })
  .describe('The backbone cut for the family `dedicated`, where the whole source sits on rank 0.')

const cutSchema = (description: string) =>
  z.strictObject({ stages: z.array(slabSchema).min(1).describe(description) }).optional()

const cutsSchema = z
  .strictObject({
    inline: cutSchema('The P backbone slabs of the family `inline-best`, where the source is fused into the first.'),
    dedicated: cutSchema('The P-1 backbone slabs of the family `dedicated-best`, where the source sits on rank 0.')
  })
  .describe('Best cuts of the same backbone for families that place the source otherwise.')

/** `tropipe.instance/1`, measured form (spec section 1). What it cannot say (lengths, names across) is in `checks/`. */
export const instanceSchema = z
  .strictObject({
    format: z.literal('tropipe.instance/1'),
    name: plainName,
    description: text.optional().describe('What it is.'),
    source: text.optional().describe('Where each number comes from.'),
    unit: z.enum(['us', 'ns', 'ms', 'ticks']).default('us').describe('Unit of every duration.'),
    ranks: z.int().min(1).max(LIMITS.ranks).describe('Pipeline ranks, P.'),
    microbatches: z.int().min(1).max(LIMITS.microbatches).describe('Microbatches of one step, M.'),
    schedule: z.string().max(10_000).describe('One skeleton per region, e.g. "<transpose, 1f1b>".'),
    regions: z.array(regionSchema).min(1).describe('Regions from the input to the loss.'),
    communication: communicationSchema.prefault({}),
    memory: memorySchema.optional(),
    options: optionsSchema.prefault({}),
    dedicated: dedicatedSchema.optional(),
    cuts: cutsSchema.optional()
  })
  .describe('A measured training step: durations and bytes of every slab of a cut model.')

/** A valid instance with all defaults filled, keys in the order of the schema. */
export type InstanceDocument = z.output<typeof instanceSchema>
export type SlabDocument = z.output<typeof slabSchema>
export type RegionDocument = z.output<typeof regionSchema>
