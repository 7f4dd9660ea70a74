import { fail } from '../../base/fault.ts'
import type { Semiring } from './semiring.ts'

/** A sum of named durations: how often each name occurs (one entry per name). */
export type Term = readonly number[]

/** A maximum of terms. No term is component-wise at most another; `[]` is "no path". */
export type Polynomial = readonly Term[]

/** Most terms that one event's polynomial may have: beyond it the names are too fine for the size. */
export const TERM_LIMIT = 4000

/**
 * (max,+) polynomials over n names, every sum reduced to its component-wise maximal terms: a term that another one covers
 * in every name is never the maximum, whatever durations >= 0 the names take, also after anything is added to both.
 * Sums throw FaultError TOO_MANY_TERMS above `limit`.
 */
export function polynomials(names: number, limit = TERM_LIMIT): Semiring<Polynomial> {
  const zero: Term = new Array(names).fill(0)
  return {
    none: [],
    unit: [zero],
    max: (a, b) => (a.length === 0 ? b : b.length === 0 ? a : checked(maximal([...a, ...b]), limit)),
    plus: (a, b) => {
      if (b.length === 1) return shift(a, b[0])
      if (a.length === 1) return shift(b, a[0])
      return checked(maximal(a.flatMap(term => shift(b, term))), limit)
    }
  }
}

function shift(terms: Polynomial, by: Term): Polynomial {
  if (by.every(count => count === 0)) return terms
  return terms.map(term => term.map((count, name) => count + by[name]))
}

function checked(terms: Polynomial, limit: number): Polynomial {
  if (terms.length > limit) {
    fail(
      'TOO_MANY_TERMS',
      'names',
      terms.length,
      `an event needs more than ${limit} terms`,
      'Use fewer names (uniform stages), or a smaller P and M.'
    )
  }
  return terms
}

/** The component-wise maximal terms, each once, largest total first. */
export function maximal(terms: Polynomial): Polynomial {
  const sorted = terms.map(term => ({ term, total: total(term) })).sort((a, b) => b.total - a.total)
  const kept: Term[] = []
  for (const { term } of sorted) if (!kept.some(other => covers(other, term))) kept.push(term)
  return kept
}

function total(term: Term): number {
  let sum = 0
  for (const count of term) sum += count
  return sum
}

/** Whether `a` is at least `b` in every name. */
export function covers(a: Term, b: Term): boolean {
  for (let name = 0; name < b.length; name++) if (a[name] < b[name]) return false
  return true
}

/** Value of a term under durations of the names, in the same order. */
export function termValue(term: Term, durations: readonly number[]): number {
  let sum = 0
  for (let name = 0; name < term.length; name++) sum += term[name] * durations[name]
  return sum
}

/** Value of a polynomial: the largest of its terms. */
export function evaluatePolynomial(terms: Polynomial, durations: readonly number[]): number {
  return terms.reduce((best, term) => Math.max(best, termValue(term, durations)), Number.NEGATIVE_INFINITY)
}

/** `e0 + 11f + 11b + 6c`, names in the given order; `0` for the empty sum. */
export function printTerm(term: Term, names: readonly string[]): string {
  const parts = term.flatMap((count, name) =>
    count === 0 ? [] : [count === 1 ? names[name] : `${count}${names[name]}`]
  )
  return parts.length === 0 ? '0' : parts.join(' + ')
}
