import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { symbolicMakespan, weightedBy } from '../../src/algebra/maxplus/closed-form.ts'
import { essentialTerms, exactValue, type WitnessedTerm } from '../../src/algebra/maxplus/essential.ts'
import { GPIPE, ONE_F_ONE_B, TRANSPOSE } from '../../src/algebra/maxplus/general.ts'
import { makespanOf } from '../../src/algebra/maxplus/graph.ts'
import {
  evaluatePolynomial,
  maximal,
  type Polynomial,
  polynomials,
  printTerm
} from '../../src/algebra/maxplus/polynomial.ts'
import { causeOf, regimesOf } from '../../src/algebra/maxplus/regimes.ts'
import { TICKS } from '../../src/algebra/maxplus/semiring.ts'
import { parseSchedule } from '../../src/algebra/notation.ts'
import { ownerOf } from '../../src/algebra/placement.ts'
import { layoutOf, type Shape } from '../../src/algebra/types.ts'
import { range } from '../../src/base/arrays.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { shapeOf } from '../../src/schedule/costs.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { namedDurations, tickWeights } from '../../src/schedule/named.ts'
import { seededRandom } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'
import { CASES } from './shapes.ts'

function shape(
  spec: string,
  ranks: number,
  microbatches: number,
  trained = false,
  encoderBackward = 'owner' as const
): Shape {
  const regions = parseSchedule(spec).map((skeleton, index) => ({
    name: `r${index}`,
    skeleton,
    stages: range(layoutOf(skeleton) === 'Replicated' ? 1 : ranks).map(() => [
      { trainable: layoutOf(skeleton) === 'Sharded' || trained }
    ])
  }))
  return { ranks, microbatches, regions, sourceWork: range(microbatches).map(() => true), encoderBackward }
}

const owners = ({ ranks, microbatches }: Shape) => range(microbatches).map(m => ownerOf(m, ranks, microbatches, 'full'))
const symbolic = (of: Shape) => symbolicMakespan(of, owners(of))

function exact(measured: Measured): number {
  const result = familyById('transpose-full')?.apply(measured)
  if (result?.kind !== 'order') throw new Error('does not apply')
  const evaluation = evaluate(result.problem, result.sequences)
  if (evaluation.kind !== 'schedule') throw new Error('cycle')
  return evaluation.schedule.makespan
}

/** Whether each term alone is the largest under its own durations, computed in whole numbers. */
function allWitnessed(terms: readonly WitnessedTerm[]): boolean {
  return terms.every(({ term, witness }) => {
    const own = exactValue(term, witness)
    return witness.every(d => d >= 0n) && terms.every(o => o.term === term || exactValue(o.term, witness) < own)
  })
}

describe('polynomials', () => {
  it('keep only component-wise maximal terms', () => {
    expect(
      maximal([
        [1, 1],
        [2, 0],
        [1, 0],
        [2, 0]
      ])
    ).toEqual([
      [1, 1],
      [2, 0]
    ])
    expect(printTerm([2, 0, 1], ['f', 'b', 'e0'])).toBe('2f + e0')
    expect(printTerm([0, 0], ['f', 'b'])).toBe('0')
  })

  it('refuse too many terms', () => {
    const ring = polynomials(2, 2)
    expect(() =>
      ring.max(
        [
          [0, 3],
          [1, 2]
        ],
        [
          [2, 1],
          [3, 0]
        ]
      )
    ).toThrow(/TOO_MANY_TERMS/)
  })
})

describe('essential terms', () => {
  it('drops what only a combination covers', () => {
    // (1,1) is below the middle of (3,0) and (0,3), though below neither.
    const terms = essentialTerms([
      [3, 0],
      [0, 3],
      [1, 1]
    ])
    expect(terms.map(({ term }) => term)).toEqual([
      [3, 0],
      [0, 3]
    ])
    expect(
      essentialTerms([
        [3, 0],
        [0, 3],
        [2, 2]
      ]).length
    ).toBe(3)
    // On the line between them: never alone.
    expect(
      essentialTerms([
        [2, 0],
        [0, 2],
        [1, 1]
      ]).length
    ).toBe(2)
  })

  it('keep the value everywhere and are each alone somewhere, on generated polynomials', () => {
    let dropped = 0
    const term = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(
        fc.array(term, { minLength: 1, maxLength: 12 }),
        fc.array(term, { minLength: 5, maxLength: 5 }),
        (terms, points) => {
          const kept = essentialTerms(terms)
          const polynomial = kept.map(({ term }) => term)
          expect(allWitnessed(kept)).toBe(true)
          for (const durations of [...points, [1, 0, 0], [0, 1, 0], [1, 1, 1]]) {
            expect(evaluatePolynomial(polynomial, durations)).toBe(evaluatePolynomial(terms, durations))
          }
          dropped += maximal(terms).length - kept.length
        }
      ),
      { numRuns: CASES, seed: 11 }
    )
    expect(dropped).toBeGreaterThan(50)
  })
})

describe('closed forms', () => {
  it('of a small transpose reads like the paper', () => {
    const { names, terms } = symbolic(shape('<transpose, 1f1b>', 2, 2))
    expect(terms.map(({ term }) => printTerm(term, names)).sort()).toEqual([
      '2f + 2b + 2c + g + e1',
      '2f + 3b + c + e1',
      '3f + 3b + 2c + e0'
    ])
  })

  it('at P=8, M=16 comes in seconds, each term with durations under which it alone rules', () => {
    const started = performance.now()
    const { terms } = symbolic(shape('<transpose, 1f1b>', 8, 16))
    expect(terms.length).toBe(22)
    expect(allWitnessed(terms)).toBe(true)
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  it('equals the exact makespan on generated instances with uniform stages', () => {
    let trainedCases = 0
    const forms = new Map<string, ReturnType<typeof symbolicMakespan>>()
    for (let seed = 0; seed < CASES; seed++) {
      const random = seededRandom(seed)
      const trainable = random.chance(0.5)
      const [ranks, microbatches] = [random.int(1, 4), random.int(1, trainable ? 4 : 6)]
      const list = () => range(microbatches).map(() => random.int(1, 12))
      const base = sketch({
        ranks,
        microbatches,
        trainable,
        encoder: list(),
        encoderBackward: list(),
        forward: random.int(1, 9),
        backward: random.int(1, 18)
      })
      const lag = () => random.int(0, 6)
      const measured: Measured = {
        ...base,
        encoderBackward: random.pick(['owner', 'first-rank']),
        communication: { ...base.communication, send: lag(), gather: lag(), scatter: lag() }
      }
      const of = shapeOf(measured)
      const key = JSON.stringify([ranks, microbatches, trainable, measured.encoderBackward])
      const form = forms.get(key) ?? symbolic(of)
      forms.set(key, form)
      const compute = { naming: 'uniform' as const, durations: durationsOf(measured) }
      const values = form.names.map(name => compute.durations.get(name) ?? 0)
      expect(
        evaluatePolynomial(
          form.terms.map(t => t.term),
          values
        )
      ).toBe(exact(measured))
      trainedCases += Number(trainable)
    }
    expect(trainedCases).toBeGreaterThan(CASES / 3)
  })
})

/** Durations by name of a uniform instance, read off its events. */
function durationsOf(measured: Measured): ReadonlyMap<string, number> {
  const events: Parameters<typeof namedDurations>[1][number][] = []
  const weights = tickWeights(measured)
  weightedBy(
    shapeOf(measured),
    owners(shapeOf(measured)),
    {},
    {
      ...weights,
      compute: event => {
        events.push(event)
        return weights.compute(event)
      }
    }
  )
  const named = namedDurations(measured, events)
  expect(named.naming).toBe('uniform')
  return named.durations
}

describe('general formulas', () => {
  const sizes = range(12).flatMap(p => range(12).map(m => [p + 1, m + 1] as const))

  /** The polynomial at P and M, with the names that the formula leaves out set to 0. */
  function restricted(of: Shape, names: readonly string[]): Polynomial {
    const form = symbolic(of)
    const reduced = form.terms.map(({ term }) => names.map(name => term[form.names.indexOf(name)] ?? 0))
    return sorted(essentialTerms(reduced).map(({ term }) => term))
  }
  const sorted = (terms: Polynomial): Polynomial => [...terms].sort((a, b) => (a.join() < b.join() ? -1 : 1))

  it('GPipe and 1F1B for every P, M up to 12', () => {
    for (const [P, M] of sizes) {
      const lags = P > 1 ? GPIPE.names(M) : ['f', 'b', 'c']
      expect(restricted(shape('<gpipe>', P, M), lags)).toEqual(GPIPE.at(P, M))
      expect(restricted(shape('<1f1b>', P, M), ONE_F_ONE_B.names(M))).toEqual(ONE_F_ONE_B.at(P, M))
    }
    expect(sizes.length).toBe(144)
  })

  it('frozen transpose without transfers for every P, M up to 12, without spill included', () => {
    let quiet = 0
    for (const [P, M] of sizes) {
      const formula = TRANSPOSE.at(P, M)
      const names = TRANSPOSE.names(M)
      const of = shape('<transpose, 1f1b>', P, M)
      if (P * M <= 24) expect(restricted(of, names)).toEqual(sorted(essentialTerms(formula).map(t => t.term)))
      const random = seededRandom(P * 100 + M)
      for (let i = 0; i < 2; i++) {
        const encode = range(M).map(() => random.int(0, i === 0 ? 2 : 30))
        const [f, b, g] = [random.int(1, 9), random.int(1, 9), random.int(0, 9)]
        const values = [f, b, g, ...encode]
        const longest = makespanOf(
          weightedBy(
            of,
            owners(of),
            {},
            {
              compute: e => (e.stage === undefined ? encode[e.microbatch] : e.kind === 'Fwd' ? f : b),
              lag: { send: 0, gather: g, scatter: 0 },
              broadcast: 0,
              reduce: () => 0,
              unit: 0
            }
          ),
          TICKS
        )
        expect(evaluatePolynomial(formula, values)).toBe(longest)
        if (noSpill(P, M, f, b, g, encode)) {
          quiet++
          expect(longest).toBe(load(P, M, encode, 0) + (M + P - 1) * (f + b))
        }
      }
    }
    expect(quiet).toBeGreaterThan(40)
  })

  const load = (P: number, M: number, encode: readonly number[], rank: number, until = M) =>
    range(until).reduce((sum, m) => sum + (m % Math.min(P, M) === rank ? encode[m] : 0), 0)

  function noSpill(P: number, M: number, f: number, b: number, g: number, encode: readonly number[]): boolean {
    const first = load(P, M, encode, 0)
    const NT = Math.min(P, M)
    return (
      range(NT).every(r => load(P, M, encode, r) <= first + r * f) &&
      range(M).every(m => m % NT === 0 || load(P, M, encode, m % NT, m + 1) + g <= first + m * (f + b))
    )
  }
})

describe('regimes', () => {
  it('cut the scale of the encoder where another term takes over, exactly', () => {
    const of = shape('<transpose, 1f1b>', 4, 8)
    const form = symbolic(of)
    const durations = form.names.map(name => ({ f: 10, b: 20, c: 1, g: 1, e1: 40, e6: 50 })[name] ?? 6)
    const terms = form.terms.map(({ term }) => term)
    const encodes = (name: string) => name.startsWith('e')
    const regimes = regimesOf(form, durations, encodes)
    expect(regimes[0].from).toEqual({ over: 0, under: 1 })
    expect(causeOf(regimes[0].term, form.names, owners(of)).kind).toBe('encodes')
    for (const [index, { term, from, until }] of regimes.entries()) {
      const inside = until ? (from.over / from.under + until.over / until.under) / 2 : from.over / from.under + 1
      const scaled = durations.map((ticks, name) => (encodes(form.names[name]) ? ticks * inside : ticks))
      expect(evaluatePolynomial([term], scaled)).toBeCloseTo(evaluatePolynomial(terms, scaled), 9)
      if (until) expect(regimes[index + 1].from).toEqual(until)
    }
    expect(regimes.length).toBeGreaterThan(1)
  })

  it('name the cause of a term', () => {
    const names = ['f', 'b', 'c', 'g', 'e0', 'e1', 'd1']
    expect(causeOf([1, 1, 0, 0, 0, 0, 0], names, [0, 1])).toEqual({ kind: 'body' })
    expect(causeOf([1, 1, 0, 1, 0, 1, 0], names, [0, 1])).toEqual({ kind: 'arrival', microbatch: 1 })
    expect(causeOf([1, 1, 0, 0, 0, 1, 0], names, [0, 1])).toEqual({ kind: 'encodes', rank: 1 })
    expect(causeOf([1, 1, 0, 0, 0, 1, 1], names, [0, 1])).toEqual({ kind: 'drain' })
  })
})
