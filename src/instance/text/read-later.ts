import { readJsonMapping } from './mapping.ts'
import type { Syntax } from './read.ts'
import type { Reading } from './reading.ts'

/** As `readMapping`, but the YAML parser, which takes longer to load than most instances to read, is loaded when met. */
export async function readMappingLater(text: string, syntax: Syntax): Promise<Reading> {
  return syntax === 'json' ? readJsonMapping(text) : (await import('./read.ts')).readMapping(text, syntax)
}
