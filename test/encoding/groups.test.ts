import { describe, expect, it } from 'vitest'
import { analyse } from '../../src/encoding/analysis.ts'
import { addOwners } from '../../src/encoding/groups/logic/assignment.ts'
import { addMemory } from '../../src/encoding/groups/logic/memory.ts'
import { addNoOverlap } from '../../src/encoding/groups/logic/no-overlap.ts'
import { addPrecedence } from '../../src/encoding/groups/logic/precedence.ts'
import { addReleases } from '../../src/encoding/groups/logic/release.ts'
import { addStarts } from '../../src/encoding/groups/logic/windows.ts'
import { encodePlacementMilp, writeLp } from '../../src/encoding/index.ts'
import { SmtBuilder } from '../../src/encoding/model/builder.ts'
import { writeSmt2 } from '../../src/encoding/text/smt2.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { type Sketch, sketch } from '../support/measured.ts'

/** One microbatch on two ranks: E 3 on either, F 10 and B 20 per rank, transfers 1. */
const TINY: Sketch = { ranks: 2, microbatches: 1, encoder: 3, lag: 1 }

function tiny(horizon: number, more: Partial<Sketch> = {}) {
  const measured: Measured = sketch({ ...TINY, ...more })
  const problem = buildProblem(measured)
  const body = bodySequences(problem, bodyOrder(measured))
  const analysis = analyse(problem, body, horizon)
  const smt = new SmtBuilder()
  const start = addStarts(analysis, smt)
  const named = (kind: string, stage: number) =>
    `x${problem.events.find(({ key }) => key.kind === kind && key.stage === stage)?.id}`
  const owners = () => ({ analysis, smt, start, ends: new Map(), ...addOwners(analysis, smt), transfers: new Map() })
  return { problem, body, analysis, smt, named, owners }
}

/** Lines that a group adds to the text of a model. */
function added(smt: SmtBuilder, add: () => void): string[] {
  const before = new Set(writeSmt2(smt.finish()).split('\n'))
  add()
  return writeSmt2(smt.finish())
    .split('\n')
    .filter(line => !before.has(line) && !line.startsWith('(set-logic'))
}

describe('groups of the decision model', () => {
  it('makespan: windows alone say that all ends by the horizon', () => {
    const { analysis, named } = tiny(70)
    const id = (name: string) => Number(name.slice(1))
    expect([analysis.head[id(named('F', 0))], analysis.latest[id(named('F', 0))]]).toEqual([3, 8])
    expect(analysis.open).toBe(true)
    expect(tiny(64).analysis.open).toBe(false)
  })

  it('assignment: one Boolean per open rank, exactly one of them', () => {
    const { smt, owners } = tiny(70)
    expect(added(smt, owners)).toEqual([
      '(declare-const b0 Bool)',
      '(declare-const b1 Bool)',
      '(assert (or b0 b1))',
      '(assert (or (not b0) (not b1)))'
    ])
    const { smt: tight, owners: sure } = tiny(65)
    expect(added(tight, sure)).toEqual([])
  })

  it('precedence: the lag of the gather counts unless the owner is the first rank', () => {
    const { smt, owners, named } = tiny(70)
    const context = owners()
    const lines = added(smt, () => addPrecedence(context))
    expect(lines).toContain(`(assert (>= (- ${named('F', 0)} ${named('E', -1)}) 3))`)
    expect(lines).toContain(`(assert (or b0 (>= (- ${named('F', 0)} ${named('E', -1)}) 4)))`)
  })

  it('broadcast release: no encode on another rank before it', () => {
    const communication = { model: 'latency', send: 1, gather: 1, scatter: 1, broadcast: 2, reduce: new Map() } as const
    const { smt, owners, named } = tiny(90, { trainable: true, encoderBackward: 5, change: { communication } })
    const context = owners()
    expect(added(smt, () => addReleases(context))).toEqual([`(assert (or b0 (>= ${named('E', -1)} 2)))`])
  })

  it('no overlap: a chain per rank, a choice per free event that windows do not part', () => {
    const { smt, owners, named } = tiny(110)
    const context = owners()
    const lines = added(smt, () => addNoOverlap(context))
    expect(lines).toContain(`(assert (>= (- ${named('B', 0)} ${named('F', 0)}) 10))`)
    expect(lines.filter(line => line.includes('(or'))).toEqual([])
  })

  it('memory: one sum per moment that can overflow, none where all fits', () => {
    const source = { activation: 4 }
    const slab = { activation: 2 }
    const { smt, owners } = tiny(110, { source, slab, microbatches: 2, change: { capacity: [5, 6] } })
    const context = owners()
    const lines = added(smt, () => addMemory(context))
    expect(lines.filter(line => line.includes('ite')).length).toBeGreaterThan(0)
    const roomy = tiny(110, { source, slab, microbatches: 2, change: { capacity: [50, 50] } })
    const all = roomy.owners()
    expect(added(roomy.smt, () => addMemory(all))).toEqual([])
  })
})

describe('groups of the slot model', () => {
  it('two ranks, one microbatch: an encode before F(0) on either rank, tight big-M', () => {
    const { problem, body } = tiny(66)
    const { model } = encodePlacementMilp(problem, body, 66)
    expect(writeLp(model)).toContain('Generals')
    const binaries = model.variables.filter(({ integer }) => integer)
    expect(binaries).toHaveLength(2)
    const largest = Math.max(
      ...model.rows.flatMap(({ terms }) => terms.map(([, coefficient]) => Math.abs(coefficient)))
    )
    expect(largest).toBeLessThanOrEqual(4)
  })

  it('an encode that fits nowhere makes the model infeasible, in plain rows', () => {
    const { problem, body } = tiny(64)
    const { model } = encodePlacementMilp(problem, body, 64)
    expect(model.rows.some(({ lower }) => lower === 2)).toBe(true)
  })
})
