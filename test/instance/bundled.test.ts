import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { familyById } from '../../src/heuristics/index.ts'
import { parseInstance } from '../../src/instance/parse.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'

type Expected = {
  readonly file: string
  readonly problem: string
  readonly status: 'optimal' | 'infeasible' | 'open'
  readonly optimum: number | null
  readonly lowerBound?: number
  readonly bestKnown?: number
  readonly ticksPerUnit: number
  readonly families: Readonly<Record<string, number>>
  readonly provenance: string
}

const folder = resolve(import.meta.dirname, '../../instances')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.yaml'))
  .sort()
const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expected[]

function read(file: string) {
  const parsed = parseInstance(readFileSync(join(folder, file), 'utf8'), 'yaml')
  if (!parsed.ok) throw new Error(`${file}: ${JSON.stringify(parsed.faults)}`)
  return parsed
}

describe('bundled instances', () => {
  it('all have expectations with a provenance, and a source', () => {
    expect(files.length).toBeGreaterThanOrEqual(18)
    expect(expected.map(entry => entry.file)).toEqual(files)
    for (const { provenance } of expected) expect(provenance).not.toBe('')
    for (const file of files) {
      const { document } = read(file)
      expect(document.description && document.source, file).toBeTruthy()
      expect(file.endsWith(`/${document.name}.yaml`), file).toBe(true)
      if (file.startsWith('paper/')) expect(document.source).toContain("not the authors' data")
    }
  })

  it.each(expected.map(entry => [entry.file, entry] as const))('%s gives the family values', (file, entry) => {
    const { measured, roundings } = read(file)
    expect(measured.ticksPerUnit).toBe(entry.ticksPerUnit)
    expect(roundings).toEqual([])
    for (const [id, makespan] of Object.entries(entry.families)) {
      const applied = familyById(id)?.apply(measured)
      if (applied?.kind !== 'order') throw new Error(`${id} does not apply to ${file}`)
      const evaluation = evaluate(applied.problem, applied.sequences)
      expect(evaluation, id).toMatchObject({ kind: 'schedule', schedule: { makespan } })
      if (entry.optimum !== null && id.startsWith('transpose') && !file.includes('memory')) {
        expect(makespan).toBeGreaterThanOrEqual(entry.optimum)
      }
    }
  })

  it('say what is known of every optimum', () => {
    for (const { file, status, optimum, lowerBound, bestKnown } of expected) {
      expect(optimum !== null, file).toBe(status === 'optimal')
      expect(lowerBound !== undefined && bestKnown !== undefined, file).toBe(status === 'open')
      if (status === 'open') expect(lowerBound, file).toBeLessThanOrEqual(bestKnown!)
    }
    const count = (status: string) => expected.filter(entry => entry.status === status).length
    expect([count('optimal') >= 13, count('infeasible'), count('open') >= 4]).toEqual([true, 1, true])
  })

  it('reproduces the digits of both experiments', () => {
    const seconds = (file: string, family: string) => {
      const entry = expected.find(({ file: name }) => name === file)!
      return entry.families[family] / entry.ticksPerUnit / 1000
    }
    expect(seconds('paper/experiment-b.yaml', 'inline')).toBe(11.0065)
    expect(seconds('paper/experiment-b.yaml', 'transpose-full')).toBe(4.0695)
    expect(seconds('paper/experiment-a-alpha.yaml', 'dedicated')).toBeCloseTo(16.256475, 9)
    expect(seconds('paper/experiment-a-alpha.yaml', 'transpose-full')).toBeCloseTo(13.4166, 9)
    expect(seconds('paper/experiment-a-alpha.yaml', 'transpose-min')).toBeCloseTo(24.8826, 9)
    expect(seconds('paper/experiment-a-alpha.yaml', 'inline')).toBeCloseTo(25.7618, 9)
    expect(seconds('paper/experiment-a-alpha-trainable.yaml', 'transpose-full')).toBeCloseTo(13.419, 3)
    expect(seconds('paper/experiment-a-alpha-trainable.yaml', 'inline')).toBeCloseTo(25.948, 3)
  })
})
