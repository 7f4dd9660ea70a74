import { afterAll, describe, expect, it } from 'vitest'
import { jointBounds, placementBounds } from '../../src/bounds/index.ts'
import { encodePlacementSmt, textHash, writeSmt2 } from '../../src/encoding/index.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { checkResult, claimOfResult, readCertificate } from '../../src/prove/certificate.ts'
import { recheckBound } from '../../src/prove/optimal/bounds.ts'
import { frameOf } from '../../src/prove/optimal/frame.ts'
import { readSmt2 } from '../../src/prove/optimal/smt-text.ts'
import { proveOptimal } from '../../src/prove/optimal.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import type { Certificate, Evidence } from '../../src/schedule/certificate.ts'
import { toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import { peakBytes } from '../../src/schedule/memory.ts'
import { releaseSolvers } from '../../src/solvers/index.ts'
import { generateMeasured, randomOrder } from '../support/generate.ts'
import { generateTimed } from '../support/timed.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))
const limits = { host, timeLimitMs: 20_000 }

/** A generated instance with its body order and the search's bounds. */
function bounded(seed: number) {
  const trained = { source: 'transposed', trainableSource: true, encoderBackward: 'owner' } as const
  const some = { split: false, maxRanks: 3, maxMicrobatches: 5, ...(seed % 3 === 0 ? trained : {}) }
  const measured = generateMeasured(seed, some)
  const problem = buildProblem(measured)
  const order = bodyOrder(measured)
  const body = bodySequences(problem, order)
  return { measured, problem, order, body, bounds: placementBounds(problem, body) }
}

describe('bounds worked out again', () => {
  it('confirms every bound of the search, and no larger one', () => {
    const seen = new Map<string, number>()
    let larger = 0
    for (let seed = 0; seed < 250; seed++) {
      const { measured, order, bounds } = bounded(seed)
      const frame = frameOf(measured, order)
      for (const bound of bounds) {
        expect(recheckBound(frame, bound), `seed ${seed} ${bound.name}`).toMatchObject({ confirmed: true })
        seen.set(bound.name, (seen.get(bound.name) ?? 0) + 1)
        const terms = [...bound.terms, { label: 'one more', ticks: 1, events: [] }]
        if (recheckBound(frame, { ...bound, ticks: bound.ticks + 1, terms }).confirmed) larger++
      }
    }
    for (const name of [
      'critical-path',
      'total-load',
      'rank-load',
      'encode-windows',
      'backward-windows',
      'encode-packing'
    ])
      expect(seen.get(name), name).toBeGreaterThanOrEqual(30)
    expect(larger).toBe(0)
  })

  it('confirms the bounds of a free body, memory included, and no legal schedule is below them', () => {
    let applied = 0
    for (let seed = 0; seed < 400; seed++) {
      const { measured, problem, schedule, document } = generateTimed(seed, { source: 'alone', maxRanks: 3 })
      const capacity = peakBytes(problem, schedule)
      const limited = { ...measured, capacity }
      const frame = frameOf(limited, undefined, { split: seed % 2 === 0 })
      for (const bound of jointBounds({ ...problem, capacity })) {
        expect(recheckBound(frame, bound), `seed ${seed} ${bound.name}`).toMatchObject({ confirmed: true })
        expect(bound.ticks, `seed ${seed} ${bound.name}`).toBeLessThanOrEqual(document.makespan)
        if (bound.name === 'in-flight') applied++
      }
    }
    expect(applied).toBeGreaterThanOrEqual(30)
  })

  it('refuses a bound whose terms do not add up, and one by an unknown name', () => {
    const { measured, order, bounds } = bounded(3)
    const frame = frameOf(measured, order)
    const path = bounds.find(bound => bound.name === 'critical-path')!
    expect(recheckBound(frame, { ...path, ticks: path.ticks - 1 }).confirmed).toBe(false)
    expect(recheckBound(frame, { ...path, name: 'toString' }).confirmed).toBe(false)
  })
})

describe('SMT text', () => {
  it('is read back to the model that it was written from', () => {
    for (let seed = 0; seed < 40; seed++) {
      const { problem, body, bounds } = bounded(seed)
      const { model } = encodePlacementSmt(
        { ...problem, capacity: problem.capacity.map(() => 60) },
        body,
        bounds[0].ticks + 3
      )
      const text = writeSmt2(model)
      const read = readSmt2(text)
      expect(read && writeSmt2(read)).toBe(text)
    }
    expect(readSmt2('(assert (= x0 1))')).toBeUndefined()
    expect(readSmt2('(declare-const x0 Int) (assert (>= x0 0)')).toBeUndefined()
  })
})

/** The best of some random orders that keep the body, as a checked document with its makespan. */
function attempt(seed: number) {
  const { measured, problem, body, bounds } = bounded(seed)
  let best: ReturnType<typeof toDocument> | undefined
  for (let draw = 0; draw < 60; draw++) {
    const evaluation = evaluate(problem, randomOrder(problem, seed * 100 + draw, body))
    if (evaluation.kind === 'cycle') continue
    const document = toDocument(problem, evaluation.schedule)
    if (!best || document.makespan < best.makespan) best = document
  }
  return { measured, problem, body, bounds, document: best! }
}

const certificateOf = (instance: string, lowerBound: number, evidence: readonly Evidence[]): Certificate => ({
  instance,
  problem: 'placement',
  lowerBound,
  evidence
})

describe('optimality proved again', { timeout: 180_000 }, () => {
  it('proves what a bound reaches, and leaves open what none does', async () => {
    const seen = { proved: 0, undecided: 0, refuted: 0 }
    for (let seed = 0; seed < 40; seed++) {
      const { measured, bounds, document } = attempt(seed)
      const certificate = certificateOf(measured.hash, bounds[0].ticks, [bounds[0]])
      const { document: proof } = await proveOptimal(measured, document, certificate, limits)
      expect(proof.optimal?.status).toBe(bounds[0].ticks === document.makespan ? 'proved' : 'undecided')
      seen[proof.optimal!.status]++
      const inflated = { ...bounds[0], ticks: document.makespan + 1 }
      const lie = certificateOf(measured.hash, document.makespan, [inflated])
      expect((await proveOptimal(measured, document, lie, limits)).document.optimal?.status).toBe('refuted')
      seen.refuted++
    }
    expect(seen.proved).toBeGreaterThanOrEqual(5)
    expect(seen.undecided).toBeGreaterThanOrEqual(5)
    expect(seen.refuted).toBe(40)
  })

  it('re-runs an UNSAT, and refuses a text about another makespan or instance', async () => {
    const { measured, problem, body } = bounded(12)
    let [at, text] = [0, '']
    let document = attempt(12).document
    for (let makespan = document.makespan - 1; ; makespan--) {
      text = writeSmt2(encodePlacementSmt(problem, body, makespan).model)
      at = makespan
      const evidence: Evidence = { kind: 'smt-unsat', at, textHash: textHash(text), text, engines: [] }
      const { document: proof } = await proveOptimal(
        measured,
        document,
        certificateOf(measured.hash, at + 1, [evidence]),
        limits
      )
      const [check] = proof.optimal!.checks
      if (check.confirmed) {
        expect(proof.optimal!.lowerBound).toBeGreaterThan(at)
        break
      }
      expect(proof.optimal!.status).toBe('refuted')
      document = { ...document }
    }
    const wrongs: Evidence[] = [
      { kind: 'smt-unsat', at: at + 1, textHash: textHash(text), text, engines: [] },
      { kind: 'smt-unsat', at, textHash: textHash(`${text} `), text, engines: [] }
    ]
    for (const wrong of wrongs) {
      const { document: proof } = await proveOptimal(
        measured,
        document,
        certificateOf(measured.hash, at + 1, [wrong]),
        limits
      )
      expect(proof.optimal).toMatchObject({ status: 'refuted', checks: [{ confirmed: false }] })
    }
  })
})

it('reads a certificate from a result, and reports every fault of one', () => {
  const { bounds } = bounded(1)
  const [first, ...besides] = bounds
  const written = { instance: 'x', problem: 'placement', lowerBound: first.ticks, ...first, besides }
  expect(readCertificate(written).evidence).toEqual(bounds)
  expect(readCertificate({ ...written, kind: 'none', besides: [] }).evidence).toEqual([])
  expect(() => readCertificate({ ...written, ticks: -1 })).toThrow(/CERTIFICATE/)
  expect(() => readCertificate({})).toThrow(/certificate\.problem[\s\S]*certificate\.lowerBound/)
})

it('takes the largest bound that a result states, and what it is of', () => {
  const { bounds } = bounded(1)
  const [first, ...besides] = bounds
  const certificate = { instance: 'x', problem: 'placement', lowerBound: first.ticks, ...first, besides }
  const result = { certificate, lowerBound: first.ticks }
  expect(claimOfResult(result)).toMatchObject({ certificate: { evidence: bounds }, objective: 'makespan' })
  expect(claimOfResult({ ...result, lowerBound: first.ticks + 1 }).certificate.lowerBound).toBe(first.ticks + 1)
  expect(claimOfResult({ ...result, objective: 'spill' }).objective).toBe('spill')
})

it('refuses a result that states something else than its schedule and its instance', () => {
  const { measured, document } = attempt(1)
  const { hash: instanceHash, unit, ticksPerUnit } = measured
  const result = { instanceHash, unit, ticksPerUnit, makespan: document.makespan }
  expect(() => checkResult(result, measured, document)).not.toThrow()
  for (const key of Object.keys(result)) {
    const altered = { ...result, [key]: key === 'unit' || key === 'instanceHash' ? 'x' : 0 }
    expect(() => checkResult(altered, measured, document), key).toThrow(new RegExp(`^${key}: .*DISAGREES`))
  }
})
