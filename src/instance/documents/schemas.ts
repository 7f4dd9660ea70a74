import * as z from 'zod'
import { modelledSchema } from '../modelled-schema.ts'
import { instanceSchema } from '../schema.ts'
import { comparisonSchema } from './comparison.ts'
import { faultsSchema } from './faults.ts'
import { modelSchema } from './model.ts'
import { proofSchema } from './proof.ts'
import { resultSchema } from './result.ts'
import { scheduleSchema } from './schedule.ts'

/** The schema of every document format by its name. */
export const SCHEMAS = {
  'tropipe.instance/1': instanceSchema,
  'tropipe.instance/1-modelled': modelledSchema,
  'tropipe.schedule/1': scheduleSchema,
  'tropipe.result/1': resultSchema,
  'tropipe.proof/1': proofSchema,
  'tropipe.comparison/1': comparisonSchema,
  'tropipe.faults/1': faultsSchema,
  'tropipe.model/1': modelSchema
} as const satisfies Readonly<Record<string, z.ZodType>>

/** File name and text of the JSON Schema (draft 2020-12) of every format, as they lie under `schema/`. */
export function schemaFiles(): { readonly file: string; readonly text: string }[] {
  return Object.entries(SCHEMAS).map(([format, schema]) => {
    const generated = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' })
    const { $schema, ...rest } = generated
    const file = `${format.replace('tropipe.', '').replace('/', '-')}.schema.json`
    return { file, text: `${JSON.stringify({ $schema, title: format, ...rest }, undefined, 2)}\n` }
  })
}
