import * as z from 'zod'
import { certificateSchema } from './certificate.ts'
import { tick } from './fields.ts'

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
    optimal: z
      .looseObject({
        status: z.enum(['proved', 'refuted', 'undecided']),
        makespan: tick,
        value: tick.optional().describe('What was minimised where that is not the makespan: the largest spill.'),
        lowerBound: tick.describe('What was confirmed.'),
        checks: z
          .array(z.looseObject({ evidence: z.string(), confirmed: z.boolean(), by: z.string(), detail: z.string() }))
          .describe('Each piece of evidence, looked at again.')
      })
      .optional()
      .describe('Whether no legal schedule is better.'),
    certificate: certificateSchema.optional()
  })
  .describe('A checked schedule or order.')
