import * as z from 'zod'
import { certificateSchema } from './certificate.ts'

const violation = z
  .looseObject({
    code: z.string().describe('Rule of the contract that is broken.'),
    rank: z.int().min(0).optional(),
    event: z.unknown().optional(),
    message: z.string()
  })
  .describe('One broken rule.')

/** `tropipe.proof/1`: what `prove` could show. Fields may be added. */
export const proofSchema = z
  .looseObject({
    format: z.literal('tropipe.proof/1'),
    legal: z.boolean().describe('Whether the checker found no violation.'),
    strength: z.string().describe('What was shown: this schedule, this order for every duration, or optimality.'),
    violations: z.array(violation),
    optimal: z.boolean().optional(),
    certificate: certificateSchema.optional()
  })
  .describe('A checked schedule or order.')
