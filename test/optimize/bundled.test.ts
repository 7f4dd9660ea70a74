import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { parseInstance } from '../../src/instance/index.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import { releaseSolvers } from '../../src/solvers/index.ts'

type Expected = { readonly file: string; readonly status: string; readonly optimum: number | null }

const folder = resolve(import.meta.dirname, '../../instances')
const expected: readonly Expected[] = JSON.parse(readFileSync(resolve(folder, 'expected.json'), 'utf8'))
const host = nodeHost()

function load(file: string) {
  const parsed = parseInstance(readFileSync(resolve(folder, file), 'utf8'), 'yaml')
  if (!parsed.ok) throw new Error(parsed.faults[0].message)
  return parsed.measured
}

afterAll(() => releaseSolvers(host))

describe('bundled instances', () => {
  const settled = expected.filter(({ status }) => status !== 'open')

  it('has instances to check', () => {
    expect(settled.length).toBeGreaterThanOrEqual(15)
  })

  it.each(settled)('$file: $status $optimum', async ({ file, status, optimum }) => {
    const { answer, crossCheck } = await optimize(load(file), { timeLimitMs: 120_000 }, host)
    expect(answer.status).toBe(status)
    if (optimum !== null) expect(answer).toMatchObject({ value: optimum, certificate: { lowerBound: optimum } })
    expect(crossCheck.holds).not.toBe(false)
  })

  it('Experiment A: far below the earliest-deadline order, with an honest gap', async () => {
    const { answer } = await optimize(load('paper/experiment-a-alpha.yaml'), { timeLimitMs: 4_000 }, host)
    if (answer.status !== 'feasible') throw new Error(answer.status)
    expect(answer.value).toBeLessThanOrEqual(12_980_000)
    const gap = (answer.value - answer.certificate.lowerBound) / answer.value
    expect(gap).toBeGreaterThan(0)
    expect(gap).toBeLessThanOrEqual(0.025)
  })
})
