import * as z from 'zod'
import { tick } from './fields.ts'

const engine = z.looseObject({ name: z.string(), version: z.string() })
const term = z.looseObject({ label: z.string(), ticks: tick }).describe('One summand of a bound.')

/** Why no schedule is shorter. Fields may be added; those here are what a reader needs to check it again. */
export const certificateSchema = z
  .discriminatedUnion('kind', [
    z
      .looseObject({ kind: z.literal('bound'), name: z.string(), terms: z.array(term) })
      .describe('A named combinatorial bound with its terms.'),
    z
      .looseObject({ kind: z.literal('smt-unsat'), textHash: z.string(), engines: z.array(engine).optional() })
      .describe('The SMT-LIB text that asks for one tick less has no solution.'),
    z
      .looseObject({
        kind: z.literal('solver-bound'),
        modelHash: z.string(),
        bound: z.number(),
        confirmedBy: z.unknown().describe('Another engine or a named bound; absent means unconfirmed.').optional()
      })
      .describe('A bound that a solver claims for a model.'),
    z.looseObject({ kind: z.literal('none') }).describe('Nothing supports more than the bound 0.')
  ])
  .describe('Data that supports the lower bound and can be checked again.')
