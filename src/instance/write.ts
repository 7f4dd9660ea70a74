import { stringify } from 'yaml'
import type { InstanceDocument } from './schema.ts'
import type { Syntax } from './text/read.ts'

/** An instance as text that `parseInstance` reads back to the same document. */
export function writeInstance(document: InstanceDocument, syntax: Syntax): string {
  if (syntax === 'json') return `${JSON.stringify(document, undefined, 2)}\n`
  return stringify(document, { version: '1.2', schema: 'core', lineWidth: 0, aliasDuplicateObjects: false })
}
