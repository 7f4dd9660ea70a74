import type { Clause, Literal, Smt } from '../model/types.ts'

/** What stands around the assertions: the logic's name and check-sat (both by default), and the values asked for. */
export type Smt2Options = { readonly values?: boolean; readonly logic?: boolean; readonly check?: boolean }

/**
 * SMT-LIB 2 text of a decision model: QF_IDL where it has no Boolean sums, else QF_LIA. Integers are x0, x1, ...,
 * Booleans b0, b1, ... Portable to z3 and cvc5. With `values` it also asks for (get-value).
 */
export function writeSmt2(model: Smt, options: Smt2Options = {}): string {
  const lines: string[] = []
  if (options.logic ?? true) lines.push(`(set-logic ${model.sums.length === 0 ? 'QF_IDL' : 'QF_LIA'})`)
  for (const [index, { lower, upper }] of model.ints.entries())
    lines.push(
      `(declare-const x${index} Int)`,
      `(assert (>= x${index} ${int(lower)}))`,
      `(assert (<= x${index} ${int(upper)}))`
    )
  for (let index = 0; index < model.numBools; index++) lines.push(`(declare-const b${index} Bool)`)
  for (const clause of model.clauses) lines.push(`(assert ${clauseText(clause)})`)
  for (const { terms, atMost } of model.sums) {
    const parts = terms
      .filter(([, c]) => c !== 0)
      .map(([variable, coefficient]) => `(ite b${variable} ${int(coefficient)} 0)`)
    if (parts.length === 0) lines.push(`(assert (<= 0 ${int(atMost)}))`)
    else lines.push(`(assert (<= ${parts.length === 1 ? parts[0] : `(+ ${parts.join(' ')})`} ${int(atMost)}))`)
  }
  if (options.check ?? true) lines.push('(check-sat)')
  if (options.values) lines.push(`(get-value (${variableNames(model).join(' ')}))`)
  return `${lines.join('\n')}\n`
}

/** Names in value order: integers, then Booleans. */
export function variableNames(model: Smt): string[] {
  return [
    ...model.ints.map((_, index) => `x${index}`),
    ...Array.from({ length: model.numBools }, (_, index) => `b${index}`)
  ]
}

/** Reads the answer of (get-value): names to numbers, Booleans as 0 and 1. Negative numerals come as `(- 5)`. */
export function parseValues(text: string): Map<string, number> {
  const values = new Map<string, number>()
  for (const [, name, negative, digits, word] of text.matchAll(
    /\(\s*([xb]\d+)\s+(?:(\(-\s*)?(\d+)\)?|(true|false))\s*\)?/g
  )) {
    if (word) values.set(name, word === 'true' ? 1 : 0)
    else values.set(name, negative ? -Number(digits) : Number(digits))
  }
  return values
}

function clauseText(clause: Clause): string {
  if (clause.length === 0) return 'false'
  const literals = clause.map(literalText)
  return literals.length === 1 ? literals[0] : `(or ${literals.join(' ')})`
}

function literalText(literal: Literal): string {
  if ('bool' in literal) return literal.value ? `b${literal.bool}` : `(not b${literal.bool})`
  const { x, y, atLeast } = literal
  if (x < 0 && y < 0) return atLeast <= 0 ? 'true' : 'false'
  if (y < 0) return `(>= x${x} ${int(atLeast)})`
  if (x < 0) return `(<= x${y} ${int(-atLeast)})`
  return `(>= (- x${x} x${y}) ${int(atLeast)})`
}

function int(value: number): string {
  return value < 0 ? `(- ${-value})` : `${value === 0 ? 0 : value}`
}
