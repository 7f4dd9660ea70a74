import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makespanOf } from '../../src/compare/paper/attribution.ts'
import { loadInstance } from '../../src/model/load.ts'

/** Published seconds per step (arXiv 2607.03229); the modelled form is fitted by its two sustained fractions. */
const CASES = [
  ['experiment-a', 'dedicated', 16.26, 13.42],
  ['experiment-b', 'inline', 11.01, 4.07]
] as const

describe('the published experiments in the modelled form', () => {
  it.each(CASES)('%s: baseline %s %d s, transposed %d s, within 1 %%', (name, baseline, before, after) => {
    const path = resolve(import.meta.dirname, '../../examples/modelled', `${name}.json`)
    const loaded = loadInstance(readFileSync(path, 'utf8'), 'json')
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults))
    const seconds = (family: string) => makespanOf(loaded.measured, family) / loaded.measured.ticksPerUnit / 1e6
    expect(Math.abs(seconds(baseline) / before - 1)).toBeLessThan(0.01)
    expect(Math.abs(seconds('transpose-full') / after - 1)).toBeLessThan(0.01)
    expect(loaded.modelled?.warnings).toEqual([])
    expect(loaded.document.source).toContain("not the authors' data")
  })
})
