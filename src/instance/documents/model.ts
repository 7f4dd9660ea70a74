import * as z from 'zod'
import { instanceSchema } from '../schema.ts'

const count = z.number().min(0)

/** `tropipe.model/1`: a measured instance with the model that its numbers were derived from. Fields may be added. */
export const modelSchema = z
  .looseObject({
    format: z.literal('tropipe.model/1'),
    model: z
      .looseObject({
        name: z.string(),
        parameters: z
          .looseObject({ text: count, vision: count.optional(), total: count, active: count })
          .describe('Numbers of parameters.'),
        flopsPerToken: z.unknown().describe('Floating-point operations per token.'),
        assumptions: z
          .array(z.looseObject({ field: z.string(), value: z.unknown(), why: z.string() }))
          .describe('What the configuration left open.')
      })
      .describe('The model as it was read.'),
    instance: instanceSchema.describe('The measured instance that it becomes.')
  })
  .describe('A model configuration turned into a measured instance.')
