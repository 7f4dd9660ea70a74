/** Writes the JSON Schemas under `schema/` from the zod schemas: `npm run schema`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { schemaFiles } from '../src/instance/documents/schemas.ts'

const folder = resolve(import.meta.dirname, '../schema')
mkdirSync(folder, { recursive: true })
for (const { file, text } of schemaFiles()) writeFileSync(join(folder, file), text)
