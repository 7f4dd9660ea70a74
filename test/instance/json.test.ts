import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson, SyntaxFault } from '../../src/instance/text/json.ts'

function faultOf(text: string): SyntaxFault {
  try {
    readJson(text)
  } catch (error) {
    if (error instanceof SyntaxFault) return error
    throw error
  }
  throw new Error(`accepted ${text}`)
}

describe('readJson', () => {
  it('reads what the built-in parser reads', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(readJson(text)).toEqual(JSON.parse(text))
      }),
      { seed: 21, numRuns: 300 }
    )
  })

  it('refuses what the built-in parser refuses', () => {
    let refused = 0
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.nat(),
        fc.constantFrom('', ',', '}', '"', '\\', '1', '\u0001', 'e'),
        (value, at, junk) => {
          const text = JSON.stringify({ value })
          const cut = at % text.length
          const mutated = text.slice(0, cut) + junk + text.slice(cut + 1)
          try {
            JSON.parse(mutated)
          } catch {
            refused++
            expect(faultOf(mutated)).toBeInstanceOf(SyntaxFault)
          }
        }
      ),
      { seed: 22, numRuns: 500 }
    )
    expect(refused).toBeGreaterThan(200)
  })

  it.each([
    ['{"a": 1,\n  "b": }', 'SYNTAX', 2, 8],
    ['{"a": 1,\n  "a": 2}', 'DUPLICATE_KEY', 2, 3],
    ['{"a": 01}', 'SYNTAX', 1, 8],
    ['[1, 2', 'SYNTAX', 1, 6],
    ['{"a": NaN}', 'SYNTAX', 1, 7],
    ['[1] 2', 'SYNTAX', 1, 5],
    ["{'a': 1}", 'SYNTAX', 1, 2],
    ['"a\nb"', 'SYNTAX', 1, 1],
    ['['.repeat(100_000), 'TOO_DEEP', 1, 65]
  ])('%j', (text, code, line, column) => {
    expect(faultOf(text)).toMatchObject({ code, line, column })
  })

  it('keeps __proto__ an ordinary key and drops a byte order mark', () => {
    const value = readJson('\ufeff{"__proto__": {"polluted": true}}') as Record<string, unknown>
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect(value.polluted).toBeUndefined()
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
