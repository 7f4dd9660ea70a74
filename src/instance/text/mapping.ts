import { LIMITS } from '../limits.ts'
import { brief } from '../path.ts'
import { readJson, SyntaxFault } from './json.ts'
import type { Reading } from './reading.ts'

/** Reads JSON text into a top-level mapping, within all size limits. */
export function readJsonMapping(text: string): Reading {
  return readMappingBy(readJsonText, text)
}

/** Reads text by a parser into a top-level mapping, within all size limits. A fault's path is `line L, column C`. */
export function readMappingBy(parse: (text: string) => Reading, text: string): Reading {
  if (byteLength(text) > LIMITS.textBytes) {
    return refuse('TEXT_TOO_LARGE', byteLength(text), 'the text is over 64 MB', 'Give a smaller document.')
  }
  if (text.trim() === '') return refuse('EMPTY_DOCUMENT', undefined, 'there is no document', 'Write an instance.')
  const reading = parse(text)
  if (!reading.ok) return reading
  const { value } = reading
  if (value === null) return refuse('EMPTY_DOCUMENT', undefined, 'the document is empty', 'Write an instance.')
  if (typeof value !== 'object' || Array.isArray(value)) {
    return refuse(
      'NOT_A_MAPPING',
      brief(value),
      'the document is not a mapping of keys to values',
      'Start with `format:`.'
    )
  }
  return refuseShape(value) ?? reading
}

function refuse(code: string, value: unknown, message: string, advice: string): Reading {
  return { ok: false, faults: [{ code, path: '', value, message, advice }] }
}

/** UTF-8 bytes, counted in place where the length in UTF-16 units leaves it open; a pair of surrogates takes four. */
function byteLength(text: string): number {
  if (text.length > LIMITS.textBytes || text.length * 3 <= LIMITS.textBytes) return text.length
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const surrogate = unit >= 0xd800 && unit < 0xe000
    bytes += unit < 0x80 ? 1 : unit < 0x800 || surrogate ? 2 : 3
  }
  return bytes
}

function readJsonText(text: string): Reading {
  try {
    return { ok: true, value: readJson(text) }
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    const { code, message, line, column } = error
    const path = `line ${line}, column ${column}`
    const advice = code === 'DUPLICATE_KEY' ? 'Keep one of the two entries.' : 'Correct the text at this place.'
    return { ok: false, faults: [{ code, path, message: `not readable as JSON: ${message}`, advice }] }
  }
}

const LEAF = { nodes: 1, height: 0 }

/** Depth and number of values once aliases are expanded: shared values are counted at each use, but walked once. */
function refuseShape(root: object): Reading | undefined {
  const known = new Map<object, { nodes: number; height: number } | 'open'>()
  const measure = (value: unknown, depth: number): { nodes: number; height: number } => {
    if (typeof value !== 'object' || value === null) return LEAF
    const seen = known.get(value)
    if (seen === 'open' || depth > LIMITS.depth) return { nodes: 1, height: Number.POSITIVE_INFINITY }
    if (seen) return seen
    known.set(value, 'open')
    const size = { nodes: 1, height: 1 }
    for (const child of Array.isArray(value) ? value : Object.values(value)) {
      const { nodes, height } = measure(child, depth + 1)
      size.nodes += nodes
      size.height = Math.max(size.height, height + 1)
    }
    known.set(value, size)
    return size
  }
  const { nodes, height } = measure(root, 1)
  if (height > LIMITS.depth) {
    return refuse('TOO_DEEP', LIMITS.depth, 'the document is nested too deeply, or contains itself', 'Flatten it.')
  }
  if (nodes <= LIMITS.nodes) return undefined
  return refuse(
    'TOO_MANY_VALUES',
    nodes,
    `more than ${LIMITS.nodes} values, aliases expanded`,
    'Give a smaller document.'
  )
}
