import { LIMITS } from '../limits.ts'

/** A place in a text that cannot be read on; line and column count from 1. */
export class SyntaxFault extends Error {
  constructor(
    readonly code: 'SYNTAX' | 'DUPLICATE_KEY' | 'TOO_DEEP',
    message: string,
    readonly line: number,
    readonly column: number
  ) {
    super(message)
    this.name = 'SyntaxFault'
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids raw control characters in strings
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SPACE = /[ \t\n\r]*/y
const WORDS = { true: true, false: false, null: null } as const

/**
 * Strict JSON (RFC 8259) that, unlike the built-in parser, refuses duplicate keys and deep nesting, knows line and
 * column, and keeps `__proto__` an ordinary key.
 * @throws SyntaxFault
 */
export function readJson(text: string): unknown {
  return new JsonReader(text.startsWith('\ufeff') ? text.slice(1) : text).read()
}

class JsonReader {
  #at = 0
  #depth = 0

  constructor(readonly text: string) {}

  read(): unknown {
    const value = this.#value()
    this.#space()
    if (this.#at < this.text.length) this.#fail('there is text after the end of the document')
    return value
  }

  #value(): unknown {
    this.#space()
    const char = this.text[this.#at]
    if (char === '{') return this.#nested(() => this.#object())
    if (char === '[') return this.#nested(() => this.#list())
    if (char === '"') return this.#string()
    for (const [word, value] of Object.entries(WORDS)) {
      if (this.text.startsWith(word, this.#at)) {
        this.#at += word.length
        return value
      }
    }
    const number = this.#match(NUMBER)
    if (number === undefined) this.#fail(char === undefined ? 'the text ends too early' : 'a value is expected')
    return Number(number)
  }

  #nested<T>(read: () => T): T {
    this.#depth++
    if (this.#depth > LIMITS.depth) this.#fail(`nested more than ${LIMITS.depth} levels deep`, 'TOO_DEEP')
    this.#at++
    const value = read()
    this.#depth--
    return value
  }

  #object(): Record<string, unknown> {
    const object: Record<string, unknown> = {}
    if (this.#take('}')) return object
    do {
      this.#space()
      const start = this.#at
      if (this.text[start] !== '"') this.#fail('a key in double quotes is expected')
      const key = this.#string()
      if (Object.hasOwn(object, key)) {
        this.#at = start
        this.#fail(`the key ${JSON.stringify(key)} is there twice`, 'DUPLICATE_KEY')
      }
      if (!this.#take(':')) this.#fail('":" is expected after a key')
      const value = this.#value()
      if (key === '__proto__') {
        Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
      } else object[key] = value
    } while (this.#take(','))
    if (!this.#take('}')) this.#fail('"," or "}" is expected')
    return object
  }

  #list(): unknown[] {
    const list: unknown[] = []
    if (this.#take(']')) return list
    do list.push(this.#value())
    while (this.#take(','))
    if (!this.#take(']')) this.#fail('"," or "]" is expected')
    return list
  }

  #string(): string {
    const quoted = this.#match(STRING)
    if (quoted === undefined) this.#fail('the string is not closed, or has a raw control character or a bad escape')
    return JSON.parse(quoted) as string
  }

  #take(char: string): boolean {
    this.#space()
    if (this.text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #space(): void {
    SPACE.lastIndex = this.#at
    this.#at += SPACE.exec(this.text)?.[0].length ?? 0
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.text)?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #fail(message: string, code: SyntaxFault['code'] = 'SYNTAX'): never {
    const before = this.text.slice(0, this.#at).split('\n')
    throw new SyntaxFault(code, message, before.length, (before.at(-1)?.length ?? 0) + 1)
  }
}
