import { Game } from './game.ts'
import { maximal, type Polynomial, type Term } from './polynomial.ts'

/** A term with durations (one per name, whole numbers >= 0) under which it alone is the maximum. */
export type WitnessedTerm = { readonly term: Term; readonly witness: readonly bigint[] }

/**
 * The terms of a polynomial that are the only maximum for some durations >= 0; the others are covered by a convex
 * combination of the rest (Farkas) and never needed. Decided exactly: each kept term comes with its durations.
 */
export function essentialTerms(terms: Polynomial): WitnessedTerm[] {
  const candidates = [...maximal(terms)]
  const witness = new Map<Term, readonly bigint[]>()
  for (const term of candidates) {
    if (witness.has(term)) continue
    const others = candidates.filter(other => other !== term)
    decide(term, others, mix => note(candidates, mix, witness))
  }
  return candidates.flatMap(term => {
    const found = witness.get(term)
    return found ? [{ term, witness: found }] : []
  })
}

/** Whoever is the only maximum under a mix has found its witness, whichever term the mix was made for. */
function note(candidates: Polynomial, mix: readonly bigint[], witness: Map<Term, readonly bigint[]>): void {
  const value = valuer(mix)
  let best: bigint | number | undefined
  let winners: Term[] = []
  for (const term of candidates) {
    const own = value(term)
    if (best === undefined || own > best) [best, winners] = [own, [term]]
    else if (own === best) winners.push(term)
  }
  if (winners.length === 1 && !witness.has(winners[0])) witness.set(winners[0], mix)
}

/** Plays the term against the others, adding the strongest answer to each mix until none is left or the term loses. */
function decide(term: Term, others: Polynomial, seen: (mix: readonly bigint[]) => void): void {
  const size = Math.max(1, ...others.flat(), ...term)
  const game = new Game(term.length, size + 1)
  const margin = (other: Term) => term.map((count, name) => count - other[name])
  let answer: Term | undefined = others[0]
  if (answer === undefined) seen(term.map(() => 1n))
  while (answer !== undefined) {
    game.add(margin(answer))
    if (!game.positive) return
    const mix = game.mix
    seen(mix)
    answer = strongest(term, others, mix)
  }
}

/** The other term that does best against a mix, if it is at least as large. */
function strongest(term: Term, others: Polynomial, mix: readonly bigint[]): Term | undefined {
  const value = valuer(mix)
  let best: Term | undefined
  let bar = value(term)
  for (const other of others) {
    const own = value(other)
    if (own > bar || (own === bar && best === undefined)) [best, bar] = [other, own]
  }
  return best
}

/** Exact values under a mix: in doubles where every product and sum stays below 2^53, else in big integers. */
function valuer(mix: readonly bigint[]): (term: Term) => number | bigint {
  if (mix.some(part => part >= 2n ** 32n)) return term => exactValue(term, mix)
  const numbers = mix.map(Number)
  return term => {
    let sum = 0
    for (let name = 0; name < term.length; name++) sum += term[name] * numbers[name]
    return Number.isSafeInteger(sum) ? sum : exactValue(term, mix)
  }
}

/** Value of a term in whole numbers of any size. */
export function exactValue(term: Term, durations: readonly bigint[]): bigint {
  let sum = 0n
  for (let name = 0; name < term.length; name++) if (term[name] !== 0) sum += BigInt(term[name]) * durations[name]
  return sum
}
