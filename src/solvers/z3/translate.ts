import type { Smt } from '../../encoding/model/types.ts'
import { variableNames, writeSmt2 } from '../../encoding/text/smt2.ts'

/** Past about this many characters Z3's wasm traps on its text ("memory access out of bounds"). */
export const LONGEST_TEXT = 18_000_000

/** Declarations and assertions only: the checks are made through the interface. */
export function toText(model: Smt): string {
  return writeSmt2(model, { logic: false, check: false })
}

/** Reads a printed Z3 model (`x0 -> 5`, `b1 -> true`, negative numerals `(- 5)`). Names it leaves out may be anything: 0. */
export function fromModelText(model: Smt, text: string): Float64Array {
  const found = new Map<string, number>()
  for (const [, name, negative, digits, word] of text.matchAll(/([xb]\d+) -> (?:(\(- )?(\d+)\)?|(true|false))/g))
    found.set(name, word ? (word === 'true' ? 1 : 0) : negative ? -Number(digits) : Number(digits))
  return Float64Array.from(variableNames(model), name => found.get(name) ?? 0)
}
