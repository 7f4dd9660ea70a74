import { range } from '../../base/arrays.ts'
import { numOwners } from '../placement.ts'
import type { Skeleton } from '../types.ts'
import { maximal, type Polynomial, type Term } from './polynomial.ts'

/** A closed form in P and M: for people, and as a polynomial at any P and M over its names. */
export type GeneralForm = {
  readonly formula: string
  /** For which durations the formula holds; empty where it always does. */
  readonly given: string
  readonly names: (microbatches: number) => readonly string[]
  readonly at: (ranks: number, microbatches: number) => Polynomial
}

/**
 * `<gpipe>`: the last stage cannot start before P-1 forwards and transfers, works M forwards and M backwards without a
 * pause, and its last gradient takes P-1 backwards and transfers back to stage 0.
 */
export const GPIPE: GeneralForm = {
  formula: '(M + P - 1)(f + b) + 2(P - 1)c',
  given: '',
  names: () => ['f', 'b', 'c'],
  at: (P, M) => [[M + P - 1, M + P - 1, 2 * (P - 1)]]
}

/** `<1f1b>` without transfer time: the same P-1 forwards in, M pairs, P-1 backwards out. */
export const ONE_F_ONE_B: GeneralForm = {
  formula: '(M + P - 1)(f + b)',
  given: 'c = 0',
  names: () => ['f', 'b'],
  at: (P, M) => [[M + P - 1, M + P - 1]]
}

/**
 * Frozen `<transpose, 1f1b>`, owners dealt round, without transfer time between stages. E_r is all that rank r encodes,
 * A_m what the owner of m has encoded when m is done. Rank r starts E_r late but has r forwards of slack (first kind);
 * microbatch m cannot enter stage 0 before A_m + g, and then M+P-1-m pairs remain (second kind). Without spill, i.e.
 * E_r <= E_0 + rf and A_m + g <= E_0 + m(f + b), the first term alone remains: the body and what rank 0 encodes.
 */
export const TRANSPOSE: GeneralForm = {
  formula:
    'max over r of E_r + (M + P - 1 - r)f + (M + P - 1)b, over m not owned by rank 0 of A_m + g + (M + P - 1 - m)(f + b); ' +
    'without spill E_0 + (M + P - 1)(f + b)',
  given: 'c = 0, frozen encoder',
  names: microbatches => ['f', 'b', 'g', ...range(microbatches).map(m => `e${m}`)],
  at: (P, M) => {
    const owners = numOwners(P, M)
    const encodes = (wanted: (m: number) => boolean) => range(M).map(m => (wanted(m) ? 1 : 0))
    const late = range(P).map((r): Term => [M + P - 1 - r, M + P - 1, 0, ...encodes(m => m % owners === r)])
    const arriving = range(M)
      .filter(m => m % owners !== 0)
      .map((m): Term => {
        const left = M + P - 1 - m
        return [left, left, 1, ...encodes(other => other <= m && other % owners === m % owners)]
      })
    return maximal([...late, ...arriving])
  }
}

/** The general closed form of a schedule, where one is known. */
export function generalForm(skeletons: readonly Skeleton[], trained: boolean): GeneralForm | undefined {
  const text = skeletons.join(',')
  if (text === 'gpipe') return GPIPE
  if (text === '1f1b') return ONE_F_ONE_B
  return text === 'transpose,1f1b' && !trained ? TRANSPOSE : undefined
}
