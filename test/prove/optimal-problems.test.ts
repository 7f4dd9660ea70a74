import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { parseInstance } from '../../src/instance/index.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import type { SolveOptions } from '../../src/optimize/types.ts'
import { proveOptimal } from '../../src/prove/optimal.ts'
import type { Evidence } from '../../src/schedule/certificate.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { releaseSolvers } from '../../src/solvers/index.ts'
import { ROOT } from '../cli/run.ts'
import { generateMeasured } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

/** Solves, has the answer proved again, and then the same with its bound raised by one. */
async function provedAgain(measured: Measured, options: Partial<SolveOptions>) {
  const { answer } = await optimize(measured, { timeLimitMs: 90_000, ...options }, host)
  if (!('point' in answer)) return undefined
  const { certificate, point } = answer
  const limits = { host, timeLimitMs: 20_000, objective: options.objective ?? 'makespan' } as const
  const { document } = await proveOptimal(measured, point.document, certificate, limits)
  const raised = { ...certificate, lowerBound: answer.value + 1, evidence: certificate.evidence.map(raise) }
  const lie = await proveOptimal(measured, point.document, raised, limits)
  return { answer, evidence: certificate.evidence, optimal: document.optimal, lie: lie.document.optimal }
}

function raise(evidence: Evidence): Evidence {
  if (evidence.kind === 'bound') {
    const terms = [...evidence.terms, { label: 'more', ticks: 1, events: [] }]
    return { ...evidence, ticks: evidence.ticks + 1, terms }
  }
  if (evidence.kind === 'smt-unsat') return { ...evidence, at: evidence.at + 1 }
  return { ...evidence, bound: evidence.bound + 1 }
}

/** A bundled instance on which no named bound reaches the optimum. */
const parsed = parseInstance(readFileSync(resolve(ROOT, 'instances/smoke/memory-tight-2x3.yaml'), 'utf8'), 'yaml')
if (!parsed.ok) throw new Error('the instance has faults')
const TIGHT = parsed.measured

describe('what solve calls optimal is proved again, whatever the problem and the evidence', {
  timeout: 240_000
}, () => {
  it.each([
    ['joint', 'z3', 'smt-unsat'],
    ['placement', 'z3', 'smt-unsat'],
    ['placement', 'cpsat', 'solver-bound'],
    ['placement', 'glpk', 'solver-bound'],
    ['owner', 'z3', 'smt-unsat'],
    ['reorder', 'z3', 'smt-unsat'],
    ['owner', 'highs', 'solver-bound']
  ] as const)('%s by %s', async (problem, solver, kind) => {
    const again = await provedAgain(TIGHT, { problem, solver })
    expect(again?.answer.status).toBe('optimal')
    expect(again?.evidence[0].kind).toBe(kind)
    expect(again?.optimal).toMatchObject({ status: 'proved', lowerBound: again?.answer.value })
    expect(again?.lie?.status).toBe('refuted')
  })

  it('reorder by named bounds, and by looking at every injection order', async () => {
    const seen = new Map<string, number>()
    for (let seed = 0; seed < 24; seed++) {
      const measured = generateMeasured(seed, {
        ranks: 2,
        microbatches: 4,
        split: false,
        source: seed % 2 ? 'transposed' : 'pipelined'
      })
      const again = await provedAgain(measured, { problem: 'reorder', deterministic: true, backends: [] })
      if (again?.answer.status !== 'optimal') {
        expect(again?.optimal?.status, `seed ${seed}`).not.toBe('refuted')
        continue
      }
      expect(again.optimal, `seed ${seed}`).toMatchObject({ status: 'proved' })
      expect(again.lie?.status, `seed ${seed}`).toBe('refuted')
      for (const item of again.evidence) if (item.kind === 'bound') seen.set(item.name, (seen.get(item.name) ?? 0) + 1)
    }
    expect(seen.get('critical-path')).toBeGreaterThanOrEqual(3)
    expect(seen.get('every-injection')).toBeGreaterThanOrEqual(3)
  })

  it('a joint schedule does not pass for one of reorder', async () => {
    const measured = sketch({ ranks: 2, microbatches: 3, forward: 2, backward: 4, encoder: 3 })
    const { answer } = await optimize(measured, { problem: 'reorder', timeLimitMs: 5_000 }, host)
    if (answer.status !== 'optimal') throw new Error(answer.status)
    const { document } = answer.point
    const ranks = document.ranks.map((events, rank) => {
      const [f, g] = events.filter(event => event.kind === 'F').slice(-2)
      if (rank === 0) return events
      const swapped = events.map(e =>
        e === f ? { ...f, microbatch: g.microbatch } : e === g ? { ...g, microbatch: f.microbatch } : e
      )
      return swapped
    })
    const { document: proof } = await proveOptimal(measured, { ...document, ranks }, answer.certificate, {
      host,
      timeLimitMs: 5_000
    })
    expect(proof.legal).toBe(false)
  })

  it('a placement of the same length does not pass for one of owner', async () => {
    const measured = sketch({ ranks: 2, microbatches: 3, forward: 10, backward: 20, encoder: 1 })
    const limits = { host, timeLimitMs: 5_000 }
    const { answer } = await optimize(measured, { problem: 'owner', timeLimitMs: 5_000 }, host)
    if (answer.status !== 'optimal') throw new Error(answer.status)
    const { document } = answer.point
    const own = await proveOptimal(measured, document, answer.certificate, limits)
    expect(own.document.optimal).toMatchObject({ status: 'proved' })
    // The encode of the last microbatch moves into the first rank's bubble before its first backward.
    const isLast = ({ kind, microbatch }: { kind: string; microbatch: number }) => kind === 'E' && microbatch === 2
    const [first, second] = document.ranks.map(events => events.filter(event => !isLast(event)))
    const at = first.findIndex(({ kind }) => kind === 'B')
    const start = first[at - 1].end
    const encode = { kind: 'E' as const, region: 'vision', microbatch: 2, start, end: start + 1 }
    const moved = { ...document, ranks: [first.toSpliced(at, 0, encode), second] }
    const placed = await proveOptimal(measured, moved, { ...answer.certificate, problem: 'placement' }, limits)
    expect(placed.document.legal).toBe(true)
    const { document: proof } = await proveOptimal(measured, moved, answer.certificate, limits)
    expect(proof).toMatchObject({ legal: false, violations: [{ code: 'ORDER', rank: 0 }] })
    expect(proof.optimal).toBeUndefined()
  })

  it('the largest spill of an encode in chunks, which share a rank', async () => {
    const measured = sketch({ ranks: 2, microbatches: 1, forward: 4, backward: 8, encoder: 20, change: { chunks: 2 } })
    const again = await provedAgain(measured, { problem: 'owner', objective: 'spill' })
    // All 20 ticks on rank 1, whose slack is the forward before it.
    expect(again?.answer).toMatchObject({ status: 'optimal', value: 16 })
    expect(again?.optimal).toMatchObject({ status: 'proved', value: 16 })
    expect(again?.lie?.status).toBe('refuted')
  })

  it('the largest spill by its own bound and by solvers', async () => {
    const seen = new Map<string, number>()
    for (const encoder of [
      [9, 1, 9, 2],
      [30, 30, 1, 1],
      [5, 5, 5, 5],
      [40, 0, 0, 0],
      [7, 13, 11, 17]
    ]) {
      const measured = sketch({ ranks: 2, microbatches: 4, forward: 4, backward: 8, encoder })
      const again = await provedAgain(measured, { problem: 'owner', objective: 'spill' })
      expect(again?.answer.status).toBe('optimal')
      expect(again?.optimal).toMatchObject({ status: 'proved', value: again?.answer.value })
      expect(again?.lie?.status).toBe('refuted')
      const [first] = again?.evidence ?? []
      seen.set(first.kind, (seen.get(first.kind) ?? 0) + 1)
    }
    expect([...seen.keys()].sort()).toEqual(['bound', 'solver-bound'])
  })
})
