import type { Clause, Literal, Smt } from '../../encoding/model/types.ts'

/** A parsed S-expression: an atom or a list. */
type Expression = string | readonly Expression[]

/**
 * Reads the SMT-LIB text of a certificate back into a decision model: declarations and assertions of difference logic and
 * Boolean sums, as this tool writes them. Returns undefined for any other text, which is then no evidence.
 */
export function readSmt2(text: string): Smt | undefined {
  const lower: number[] = []
  const upper: number[] = []
  let numBools = 0
  const clauses: Clause[] = []
  const sums: Smt['sums'][number][] = []
  for (const command of parse(text) ?? ['?']) {
    if (typeof command === 'string') return undefined
    const [head, body] = command
    if (head === 'declare-const' && command[2] === 'Int')
      [lower[lower.length], upper[upper.length]] = [Number.NaN, Number.NaN]
    else if (head === 'declare-const') numBools++
    else if (head === 'assert') {
      const limit = limitOf(body, lower, upper)
      const total = limit ? undefined : sumOf(body)
      const clause = limit || total ? undefined : clauseOf(body)
      if (total) sums.push(total)
      else if (clause) clauses.push(clause)
      else if (!limit) return undefined
    } else if (head !== 'set-logic' && head !== 'check-sat') return undefined
  }
  const ints = lower.map((low, index) => ({ lower: low, upper: upper[index] }))
  return { kind: 'smt', ints, numBools, clauses, sums }
}

function parse(text: string): Expression[] | undefined {
  const stack: Expression[][] = [[]]
  for (const [token] of text.matchAll(/[()]|[^\s()]+/g)) {
    if (token === '(') stack.push([])
    else if (token === ')') {
      const done = stack.pop()
      if (!done || stack.length === 0) return undefined
      stack[stack.length - 1].push(done)
    } else stack[stack.length - 1].push(token)
  }
  return stack.length === 1 ? stack[0] : undefined
}

/** The two limits that follow each integer's declaration; the first assertion of each kind is the limit. */
function limitOf(expression: Expression, lower: number[], upper: number[]): boolean {
  if (typeof expression === 'string') return false
  const [operator, left, right] = expression
  const index = variableOf(left, 'x')
  const value = numberOf(right)
  if (index === undefined || value === undefined || index !== lower.length - 1) return false
  const list = operator === '>=' ? lower : operator === '<=' ? upper : undefined
  if (!list || !Number.isNaN(list[index])) return false
  list[index] = value
  return true
}

function clauseOf(expression: Expression): Clause | undefined {
  if (expression === 'false') return []
  const parts = Array.isArray(expression) && expression[0] === 'or' ? expression.slice(1) : [expression]
  const literals = parts.map(literalOf)
  return literals.every(literal => literal !== undefined) ? (literals as Literal[]) : undefined
}

function literalOf(expression: Expression): Literal | undefined {
  if (expression === 'true') return { x: -1, y: -1, atLeast: 0 }
  if (expression === 'false') return { x: -1, y: -1, atLeast: 1 }
  const bool = variableOf(expression, 'b')
  if (bool !== undefined) return { bool, value: true }
  if (typeof expression === 'string') return undefined
  const [operator, left, right] = expression
  if (operator === 'not') {
    const negated = variableOf(left, 'b')
    return negated === undefined ? undefined : { bool: negated, value: false }
  }
  const value = numberOf(right)
  if (value === undefined || (operator !== '>=' && operator !== '<=')) return undefined
  const single = variableOf(left, 'x')
  if (single !== undefined)
    return operator === '>='
      ? { x: single, y: -1, atLeast: value }
      : { x: -1, y: single, atLeast: value === 0 ? 0 : -value }
  if (!Array.isArray(left) || left[0] !== '-' || operator !== '>=') return undefined
  const [x, y] = [variableOf(left[1], 'x'), variableOf(left[2], 'x')]
  return x === undefined || y === undefined ? undefined : { x, y, atLeast: value }
}

/** `(<= (+ (ite b0 5 0) ...) 7)`, or one summand, or none. */
function sumOf(expression: Expression): Smt['sums'][number] | undefined {
  if (typeof expression === 'string' || expression[0] !== '<=') return undefined
  const [, left, right] = expression
  const atMost = numberOf(right)
  if (atMost === undefined) return undefined
  if (left === '0') return { terms: [], atMost }
  if (!Array.isArray(left)) return undefined
  const parts: readonly Expression[] = left[0] === '+' ? left.slice(1) : [left]
  const terms = parts.map(part => {
    if (typeof part === 'string' || part[0] !== 'ite' || part[3] !== '0') return undefined
    const [variable, coefficient] = [variableOf(part[1], 'b'), numberOf(part[2])]
    return variable === undefined || coefficient === undefined ? undefined : ([variable, coefficient] as const)
  })
  return terms.every(term => term !== undefined) ? { terms: terms as (readonly [number, number])[], atMost } : undefined
}

function variableOf(expression: Expression | undefined, letter: 'x' | 'b'): number | undefined {
  if (typeof expression !== 'string' || !/^[xb]\d+$/.test(expression) || expression[0] !== letter) return undefined
  return Number(expression.slice(1))
}

function numberOf(expression: Expression | undefined): number | undefined {
  if (typeof expression === 'string') return /^\d+$/.test(expression) ? Number(expression) : undefined
  if (!Array.isArray(expression) || expression[0] !== '-' || expression.length !== 2) return undefined
  const value = numberOf(expression[1])
  return value === undefined ? undefined : -value
}
