import type { Smt } from '../../encoding/model/types.ts'
import { variableNames, writeSmt2 } from '../../encoding/text/smt2.ts'

/** Past about this many characters Z3's wasm traps on its text ("memory access out of bounds"). */
export const LONGEST_TEXT = 18_000_000

/** The script of one check: options, model, check-sat. Values are asked for apart, once it is known that there are any. */
export function toScript(model: Smt, limits: { timeoutMs?: number; steps?: number; seed?: number }): string {
  const options = [
    limits.timeoutMs === undefined ? '' : `(set-option :timeout ${Math.max(1, Math.floor(limits.timeoutMs))})`,
    limits.steps === undefined ? '' : `(set-option :rlimit ${limits.steps})`,
    limits.seed === undefined ? '' : `(set-option :smt.random_seed ${limits.seed % 2 ** 31})`,
    limits.seed === undefined ? '' : `(set-option :sat.random_seed ${limits.seed % 2 ** 31})`
  ]
  return `${options.filter(Boolean).join('\n')}\n${writeSmt2(model)}`
}

/** Asks for all values, in value order. */
export function toValueQuery(model: Smt): string {
  return `(get-value (${variableNames(model).join(' ')}))`
}
