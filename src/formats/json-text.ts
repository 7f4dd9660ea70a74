import type { Position } from '../schedule/foreign.ts'
import { LIMITS } from './limits.ts'
import { type TextFault, textFault } from './types.ts'

/** A JSON value with the place where it starts; keys of objects are unique. */
export type JsonNode =
  | { readonly kind: 'object'; readonly at: number; readonly entries: ReadonlyMap<string, JsonNode> }
  | { readonly kind: 'array'; readonly at: number; readonly items: readonly JsonNode[] }
  | { readonly kind: 'plain'; readonly at: number; readonly value: string | number | boolean | null }

/** A parsed text: its root and the line and character of any offset. */
export type JsonText = { readonly root: JsonNode; readonly place: (offset: number) => Position }

const MAX_DEPTH = 64
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const BLANK = /[ \t\r\n]*/y
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

/** Parses JSON, keeping where every value stands; a byte order mark is skipped, repeated keys are refused. */
export function parseJsonText(
  text: string
): { ok: true; json: JsonText } | { ok: false; faults: readonly TextFault[] } {
  const place = placer(text)
  if (text.length > LIMITS.characters) {
    const advice = 'Split the file.'
    return { ok: false, faults: [textFault('TOO_LARGE', 1, 1, text.length, 'the text is larger than 64 MB', advice)] }
  }
  const parser = new JsonParser(text)
  try {
    return { ok: true, json: { root: parser.document(), place } }
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    const { row, column } = place(error.at)
    const found = text.slice(error.at, error.at + 20)
    return { ok: false, faults: [textFault('BAD_JSON', row, column, found, error.message, 'Repair the JSON there.')] }
  }
}

/** Line and character (from 1) of an offset. */
function placer(text: string): (offset: number) => Position {
  let starts: number[] | undefined
  return offset => {
    if (!starts) {
      starts = [0]
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
    }
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle] <= offset) low = middle
      else high = middle - 1
    }
    return { row: low + 1, column: offset - starts[low] + 1 }
  }
}

class SyntaxFault extends Error {
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** Whether the character at an offset follows an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}

class JsonParser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    if (text.startsWith('\uFEFF')) this.#at = 1
  }

  document(): JsonNode {
    const root = this.#value(0)
    this.#skip()
    if (this.#at < this.#text.length) throw new SyntaxFault(this.#at, 'text after the end of the JSON value')
    return root
  }

  #skip(): void {
    BLANK.lastIndex = this.#at
    BLANK.test(this.#text)
    this.#at = BLANK.lastIndex
  }

  #value(depth: number): JsonNode {
    this.#skip()
    const at = this.#at
    if (depth > MAX_DEPTH) throw new SyntaxFault(at, `nested more than ${MAX_DEPTH} levels deep`)
    const first = this.#text[at]
    if (first === '{') return { kind: 'object', at, entries: this.#object(depth) }
    if (first === '[') return { kind: 'array', at, items: this.#array(depth) }
    if (first === '"') return { kind: 'plain', at, value: this.#string() }
    const word = Object.keys(WORDS).find(name => this.#text.startsWith(name, at))
    if (word) {
      this.#at += word.length
      return { kind: 'plain', at, value: WORDS[word] }
    }
    const digits = this.#match(NUMBER)
    if (digits === undefined)
      throw new SyntaxFault(at, first === undefined ? 'the text ends early' : 'a value is expected')
    return { kind: 'plain', at, value: Number(digits) }
  }

  #string(): string {
    const at = this.#at
    let end = this.#text.indexOf('"', at + 1)
    while (end >= 0 && isEscaped(this.#text, end)) end = this.#text.indexOf('"', end + 1)
    if (end < 0) throw new SyntaxFault(at, 'a string without end')
    this.#at = end + 1
    try {
      return JSON.parse(this.#text.slice(at, end + 1)) as string
    } catch {
      throw new SyntaxFault(at, 'a string with a line break, a control character or a bad escape')
    }
  }

  #object(depth: number): Map<string, JsonNode> {
    const entries = new Map<string, JsonNode>()
    this.#list('}', () => {
      const at = this.#at
      if (this.#text[at] !== '"') throw new SyntaxFault(at, 'a quoted key is expected')
      const key = this.#string()
      if (entries.has(key)) throw new SyntaxFault(at, `the key "${key.slice(0, 40)}" is given twice`)
      this.#skip()
      if (this.#text[this.#at] !== ':') throw new SyntaxFault(this.#at, '":" is expected')
      this.#at++
      entries.set(key, this.#value(depth + 1))
    })
    return entries
  }

  #array(depth: number): JsonNode[] {
    const items: JsonNode[] = []
    this.#list(']', () => items.push(this.#value(depth + 1)))
    return items
  }

  /** Comma-separated entries up to the closing bracket; stands on the opening one. */
  #list(close: string, entry: () => void): void {
    this.#at++
    this.#skip()
    if (this.#text[this.#at] === close) {
      this.#at++
      return
    }
    for (;;) {
      this.#skip()
      entry()
      this.#skip()
      const next = this.#text[this.#at++]
      if (next === close) return
      if (next !== ',') throw new SyntaxFault(this.#at - 1, `"," or "${close}" is expected`)
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (!found) return undefined
    this.#at = pattern.lastIndex
    return found[0]
  }
}
