import * as z from 'zod'

/** `tropipe.faults/1`: everything wrong with an input. */
export const faultsSchema = z
  .strictObject({
    format: z.literal('tropipe.faults/1'),
    faults: z
      .array(
        z
          .strictObject({
            code: z.string().describe('Stable name of the rule.'),
            path: z.string().describe('Where, e.g. regions[0].stages[1].forward; or line and column.'),
            value: z.unknown().describe('What was there, shortened; null where nothing was.'),
            message: z.string(),
            advice: z.string().describe('What to change.')
          })
          .describe('One fault.')
      )
      .min(1)
  })
  .describe('All faults of an input at once.')
