import type { NamedTerms } from './closed-form.ts'
import { type Term, termValue } from './polynomial.ts'

/** A scale k from `from` up to `until` (absent: without end) over which one term rules; both exact fractions. */
export type Regime = { readonly term: Term; readonly from: Fraction; readonly until?: Fraction }

/** A fraction of whole numbers, denominator > 0, lowest terms. */
export type Fraction = { readonly over: number; readonly under: number }

/**
 * Which term rules while the named durations `scaled` are k times what they are, k from 0 on, and the others stay: the
 * upper envelope of the terms as lines in k. Ties at a border go to the steeper line.
 */
export function regimesOf(
  { names, terms }: Pick<NamedTerms, 'names' | 'terms'>,
  durations: readonly number[],
  scaled: (name: string) => boolean
): Regime[] {
  const still = durations.map((ticks, name) => (scaled(names[name]) ? 0 : ticks))
  const moving = durations.map((ticks, name) => (scaled(names[name]) ? ticks : 0))
  const lines = terms.map(({ term }) => ({ term, at: termValue(term, still), slope: termValue(term, moving) }))
  const regimes: { term: Term; from: Fraction; until?: Fraction }[] = []
  let current = lines.reduce((best, line) => (above(line, best) ? line : best))
  let from: Fraction = { over: 0, under: 1 }
  for (;;) {
    const crossings = lines
      .filter(line => line.slope > current.slope)
      .map(line => ({ line, at: reduced(current.at - line.at, line.slope - current.slope) }))
    const next = crossings.reduce<(typeof crossings)[number] | undefined>(
      (best, c) => (best === undefined || isEarlier(c, best) ? c : best),
      undefined
    )
    if (!next) return [...regimes, { term: current.term, from }]
    regimes.push({ term: current.term, from, until: next.at })
    ;[current, from] = [next.line, next.at]
  }
}

type Line = { readonly term: Term; readonly at: number; readonly slope: number }

/** Higher at k = 0, or as high and steeper. */
function above(a: Line, b: Line): boolean {
  return a.at > b.at || (a.at === b.at && a.slope > b.slope)
}

function isEarlier(
  a: { readonly line: Line; readonly at: Fraction },
  b: { readonly line: Line; readonly at: Fraction }
): boolean {
  const order = a.at.over * b.at.under - b.at.over * a.at.under
  return order < 0 || (order === 0 && a.line.slope > b.line.slope)
}

/** The fraction of two whole numbers, in lowest terms. */
export function reduced(over: number, under: number): Fraction {
  const common = gcd(over, under)
  return { over: over / common, under: under / common }
}

function gcd(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)]
  while (y > 0) [x, y] = [y, x % y]
  return Math.max(1, x)
}

/** Why a term of a transposed schedule is as long as it is. */
export type TermCause =
  | { readonly kind: 'body' }
  /** The encodes of one rank hold back its own stages: beyond its slack they spill. */
  | { readonly kind: 'encodes'; readonly rank: number }
  /** A microbatch that another rank encodes arrives late at stage 0. */
  | { readonly kind: 'arrival'; readonly microbatch: number }
  /** Encoder backwards lengthen the end. */
  | { readonly kind: 'drain' }

/** Reads a term's cause off its names: `d..` drains, `g` with encodes arrives, encodes alone are a rank's own. */
export function causeOf(term: Term, names: readonly string[], owners: readonly number[]): TermCause {
  const used = names.filter((_, name) => term[name] > 0)
  const microbatches = used.filter(name => /^e\d+$/.test(name)).map(name => Number(name.slice(1)))
  if (used.some(name => /^(d\d+|x|q\d+)$/.test(name))) return { kind: 'drain' }
  if (microbatches.length === 0) return { kind: 'body' }
  const last = Math.max(...microbatches)
  return used.includes('g') ? { kind: 'arrival', microbatch: last } : { kind: 'encodes', rank: owners[last] }
}
