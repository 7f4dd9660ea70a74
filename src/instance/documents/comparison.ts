import * as z from 'zod'
import { byteCount, statusName, tick } from './fields.ts'

const row = z
  .looseObject({
    family: z.string(),
    makespan: tick.nullish().describe('Absent where the family does not apply.'),
    speedup: z.number().nullish().describe('Makespan of the baseline divided by this one.'),
    gapToOptimum: z.number().nullish().describe('(makespan - optimum) / makespan, the definition of every gap here.'),
    bubbleRatio: z.number().min(0).max(1).nullish().describe('Idle time of all ranks / (P * makespan).'),
    peakMemory: z.array(byteCount).nullish().describe('Per rank.'),
    inFlight: z.array(z.int().min(0)).nullish().describe('Per rank: most microbatches between forward and backward.'),
    legal: z.boolean().nullish(),
    notes: z
      .array(z.string())
      .optional()
      .describe('What the family changes of the instance (slabs cut, encoder fused), and what it charges.'),
    closedForm: z.unknown().optional().describe('Of transpose families.')
  })
  .describe('One family.')

/** `tropipe.comparison/1`: families against the optimum. Fields may be added. */
export const comparisonSchema = z
  .looseObject({
    format: z.literal('tropipe.comparison/1'),
    rows: z.array(row),
    baseline: z.string().nullish().describe('Family that speedups refer to.'),
    contradictions: z
      .array(z.string())
      .optional()
      .describe('Relations that theory demands and that do not hold here; empty unless the tool is wrong.'),
    optimum: z
      .looseObject({ makespan: tick.nullish(), lowerBound: tick.nullish(), status: statusName })
      .nullish()
      .describe('What the solver reached.')
  })
  .describe('Families of schedules on one instance.')
