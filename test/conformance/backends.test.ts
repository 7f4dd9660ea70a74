import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { backend as highs } from '../../src/solvers/highs/backend.ts'
import { BACKENDS, backendVersion, type Finding, releaseSolvers, runBackend } from '../../src/solvers/index.ts'
import { pointFault } from '../../src/solvers/point.ts'
import { CASES, objectiveAt, wrongFindings, wrongOutcome } from './cases.ts'

/** Pairs that do not run, each with its reason. A backend never runs models of a kind that it does not declare. */
const EXCLUDED: readonly { readonly backend: string; readonly case: string; readonly why: string }[] = [
  ...[
    'S02 a MILP whose relaxation is fractional',
    'S03 an integer that no row names',
    'S05 tight big-M',
    'negative bounds',
    'infeasible MILP',
    'S04 differences that meet nowhere, bounded',
    'S06 a gap of one in ten thousand'
  ].map(name => ({
    backend: 'jslp',
    case: name,
    why: 'claims nothing of a MILP: a point of it is feasible at best'
  }))
]

const host = nodeHost()
afterAll(() => releaseSolvers(host))

const done = new Set<string>()
/** What each backend handed over before its outcomes, over all cases. */
const streamed = new Map<string, { points: number; bounds: number }>()

describe.each(BACKENDS)('$id', info => {
  // Asked for when first needed: all at once they would slow each other down. What ships with us is never skipped.
  let asked: ReturnType<typeof backendVersion> | undefined
  const engineOf = () => {
    asked ??= backendVersion(host, info.id)
    return asked
  }

  it.each(CASES)('$name', async one => {
    const pair = `${info.id}: ${one.name}`
    const excluded = EXCLUDED.some(({ backend, case: name }) => backend === info.id && name === one.name)
    done.add(pair)
    if (!info.capabilities.models.includes(one.model.kind)) {
      const outcome = await runBackend(host, info.id, { model: one.model, timeLimitMs: 5000 })
      expect(outcome).toMatchObject({ stop: 'crash' })
      expect(outcome.values).toBeUndefined()
      return
    }
    if (excluded || (info.install !== undefined && !(await engineOf()))) return
    const from = performance.now()
    const request = { model: one.model, timeLimitMs: one.timeLimitMs, seed: 1 }
    const findings: Finding[] = []
    const outcome = await runBackend(host, info.id, request, { onFinding: finding => findings.push(finding) })
    expect(wrongOutcome(one, outcome)).toBeUndefined()
    expect(wrongFindings(one, findings)).toEqual([])
    count(info.id, findings)
    expect(performance.now() - from).toBeLessThan(one.timeLimitMs + 3000)
    expect(outcome.raw.length).toBeLessThan(800)
  })

  it('names its engine and version, or is not installed', async () => {
    const engine = await engineOf()
    if (engine === undefined) expect(info.install).toBeDefined()
    else expect(engine.version).toMatch(/\d/)
  })
})

function count(id: string, findings: readonly Finding[]): void {
  const { points, bounds } = streamed.get(id) ?? { points: 0, bounds: 0 }
  streamed.set(id, {
    points: points + findings.filter(({ values }) => values).length,
    bounds: bounds + findings.filter(({ claimedBound }) => claimedBound !== undefined).length
  })
}

describe('streaming', () => {
  it.each(BACKENDS)('$id hands over what it declares, and nothing else', ({ id, capabilities: { streams } }) => {
    const found = streamed.get(id)
    if (!found) return
    expect({ points: found.points > 0, bounds: found.bounds > 0 }).toEqual({
      points: streams.includes('points'),
      bounds: streams.includes('bounds')
    })
  })

  it('HiGHS finds each point better than the last, and each is one of the model', async () => {
    let points = 0
    for (const one of CASES) {
      if (one.model.kind !== 'milp') continue
      const findings: Finding[] = []
      const request = { model: one.model, timeLimitMs: one.timeLimitMs, seed: 1 }
      await highs.solve(request, { report: finding => findings.push(finding) })
      const found = findings.flatMap(({ values }) => (values ? [values] : []))
      const objectives = found.map(values => objectiveAt(one.model, values))
      expect(found.map(values => pointFault(one.model, values))).toEqual(found.map(() => undefined))
      expect(objectives).toEqual([...objectives].sort((a, b) => b - a))
      points += found.length
    }
    expect(points).toBeGreaterThanOrEqual(3)
  })
})

describe('the suite', () => {
  it('ran or excluded every pair of backend and case', () => {
    for (const { id } of BACKENDS) for (const { name } of CASES) expect(done).toContain(`${id}: ${name}`)
    expect(done.size).toBe(BACKENDS.length * CASES.length)
    expect(CASES.length).toBeGreaterThanOrEqual(20)
  })

  it('excludes only pairs that exist', () => {
    for (const { backend, case: name } of EXCLUDED) {
      expect(BACKENDS.map(({ id }) => id)).toContain(backend)
      expect(CASES.map(one => one.name)).toContain(name)
    }
  })
})
