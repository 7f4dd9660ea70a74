import { type ParsedInstance, parseMapping } from './parse-mapping.ts'
import { readMapping, type Syntax } from './text/read.ts'

/** Reads `tropipe.instance/1` from JSON or YAML text. Never throws for bad input: all faults come back at once. */
export function parseInstance(text: string, syntax: Syntax): ParsedInstance {
  return parseMapping(readMapping(text, syntax))
}
