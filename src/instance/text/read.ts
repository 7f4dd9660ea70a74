import { readJsonMapping, readMappingBy } from './mapping.ts'
import type { Reading } from './reading.ts'
import { readYaml } from './yaml.ts'

export type Syntax = 'json' | 'yaml'

/** Reads JSON or YAML text into a top-level mapping, within all size limits. A fault's path is `line L, column C`. */
export function readMapping(text: string, syntax: Syntax): Reading {
  return syntax === 'json' ? readJsonMapping(text) : readMappingBy(readYaml, text)
}
