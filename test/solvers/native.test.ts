import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Milp } from '../../src/encoding/model/types.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { runBackend } from '../../src/solvers/index.ts'
import { readSolution } from '../../src/solvers/native/status.ts'
import { toCall } from '../../src/solvers/native/translate.ts'
import { CASES, wrongOutcome } from '../conformance/cases.ts'

const model: Milp = {
  kind: 'milp',
  variables: [
    { lower: 0, upper: 9, integer: true },
    { lower: 0, upper: 9, integer: false }
  ],
  rows: [{ terms: [[0, 1]], lower: 3 }],
  objective: [[0, 1]]
}

const solution = (status: string, state: string, columns: string) =>
  `Model status\n${status}\n\n# Primal solution values\n${state}\nObjective 3\n# Columns 2\n${columns}# Rows 1\nc0 3\n\n# Dual solution values\nNone\n`

describe('native HiGHS', () => {
  it('is told to prove without a gap, from a file of settings', () => {
    const call = toCall('highs', model)
    expect(call?.options).toContain('mip_rel_gap = 0')
    const paths = { model: 'm.mps', solution: 's.txt', options: 'o.txt', seconds: 2.5 }
    expect(call?.args(paths).join(' ')).toBe(
      '--model_file m.mps --options_file o.txt --time_limit 2.5 --solution_file s.txt'
    )
    expect(toCall('highs', { kind: 'smt', ints: [], numBools: 0, clauses: [], sums: [] })).toBeUndefined()
  })

  it('is read for its status and point; no point is made of a limit without one, or of words unknown here', () => {
    const read = (text: string) => readSolution('highs', model, '', text)
    const point = 'x0 3\nx1 0.5\n'
    expect(read(solution('Optimal', 'Feasible', point))).toEqual({
      stop: 'proved',
      status: 'optimal',
      values: Float64Array.of(3, 0.5)
    })
    expect(read(solution('Time limit reached', 'Feasible', point))).toMatchObject({ stop: 'time', status: 'feasible' })
    expect(read(solution('Time limit reached', 'None', ''))).toEqual({ stop: 'time' })
    expect(read(solution('Infeasible', 'None', ''))).toEqual({ stop: 'proved', status: 'infeasible' })
    expect(read(solution('Unknown', 'Feasible', point))).toEqual({ stop: 'crash' })
    expect(read('')).toEqual({ stop: 'crash' })
  })
})

/** Puts a program `highs` on PATH, which the package's own HiGHS plays: see highs-program.js. */
describe('native HiGHS, played by the package', () => {
  const host = nodeHost()
  const folder = mkdtempSync(join(tmpdir(), 'tropipe-highs-'))
  const before = process.env.PATH
  beforeAll(() => {
    const script = fileURLToPath(new URL('../support/highs-program.js', import.meta.url))
    const program = join(folder, 'highs')
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`)
    chmodSync(program, 0o755)
    process.env.PATH = `${folder}${delimiter}${before}`
  })
  afterAll(() => {
    process.env.PATH = before
    rmSync(folder, { recursive: true })
  })

  const names = ['linear program', 'infeasible MILP', 'S03', 'S05 tight', 'S06', 'S07']
  const cases = CASES.filter(({ name, model }) => model.kind === 'milp' && names.some(one => name.startsWith(one)))
  it.each(cases)('$name', async one => {
    const outcome = await runBackend(host, 'native:highs', { model: one.model, timeLimitMs: one.timeLimitMs })
    expect(wrongOutcome(one, outcome)).toBeUndefined()
    expect(outcome.engine.version).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('ran on every kind of ending', () => {
    expect(cases).toHaveLength(names.length)
  })
})
