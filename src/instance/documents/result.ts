import * as z from 'zod'
import { instanceSchema } from '../schema.ts'
import { certificateSchema } from './certificate.ts'
import { hashText, problemName, statusName, tick, ticksPerUnit, unitName } from './fields.ts'
import { scheduleSchema } from './schedule.ts'

/** `tropipe.result/1`: what `solve` found. Fields may be added. */
export const resultSchema = z
  .looseObject({
    format: z.literal('tropipe.result/1'),
    instance: instanceSchema.describe('The normalised instance.'),
    instanceHash: hashText,
    problem: problemName,
    objective: z.enum(['makespan', 'spill']).describe('What was minimised.'),
    status: statusName,
    makespan: tick.optional().describe('Of the schedule; absent where none was found.'),
    value: tick.optional().describe('What was minimised where that is not the makespan: the largest spill.'),
    lowerBound: tick.optional().describe('No legal schedule of the problem is shorter, or has a smaller `value`.'),
    claimedBound: z.number().optional().describe('A bound that a solver claims and nothing confirms.'),
    gap: z.number().min(0).optional().describe('(makespan - lowerBound) / makespan, or the same of `value`.'),
    unit: unitName,
    ticksPerUnit,
    solver: z
      .looseObject({
        name: z.string(),
        version: z.string(),
        seed: z.int().optional(),
        wallMs: z.number().min(0).optional()
      })
      .describe('What produced the answer.'),
    certificate: certificateSchema.optional(),
    crossCheck: z
      .looseObject({})
      .optional()
      .describe('Closed form of the transpose schedule: paper, exact, absorbed, arrival, drain, binding.'),
    tieBreak: z
      .looseObject({ peak: z.number(), proved: z.boolean(), certificate: certificateSchema.optional() })
      .optional()
      .describe(
        'With a tie-break by memory: the largest peak of a rank, and whether no optimal schedule stays below it.'
      ),
    pareto: z
      .looseObject({
        complete: z.boolean(),
        points: z.array(
          z.looseObject({
            peak: z.number(),
            makespan: tick,
            lowerBound: tick,
            status: statusName,
            certificate: certificateSchema,
            schedule: scheduleSchema
          })
        )
      })
      .optional()
      .describe(
        'Front of makespan against the largest peak of a rank, shortest first, each point with its certificate.'
      ),
    reason: z.unknown().optional().describe('Why it is infeasible or unknown.'),
    schedule: scheduleSchema.optional()
  })
  .describe('The answer of a solve.')
