import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { compareDraws } from '../../src/compare/draws.ts'
import { familyById } from '../../src/heuristics/index.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { parseInstance } from '../../src/instance/index.ts'
import { checkModelled } from '../../src/instance/modelled-schema.ts'
import { drawMeasured, drawModelled } from '../../src/model/draws.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import { releaseSolvers } from '../../src/solvers/index.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))
const families = ['inline', 'dedicated', 'transpose-full', 'transpose-greedy'].map(id => familyById(id)!)
const config = resolve(import.meta.dirname, '../../examples/configs/qwen2.5-vl-7b.json')

const measuredText = JSON.stringify({
  format: 'tropipe.instance/1',
  name: 'drawn',
  ranks: 3,
  microbatches: 5,
  schedule: '<transpose, 1f1b>',
  regions: [
    { name: 'vision', trainable: false, stages: [{ forward: [9, 2, 0, 5, 14], backward: 0 }] },
    { name: 'llm', trainable: true, stages: [4, 5, 4].map(f => ({ forward: f, backward: 2 * f })) }
  ]
})
const parsed = parseInstance(measuredText, 'json')
if (!parsed.ok) throw new Error('fixture')

async function solve(measured: Measured) {
  const { answer } = await optimize(measured, { timeLimitMs: 2000, deterministic: true }, host)
  if (!('point' in answer)) return undefined
  return { makespan: answer.point.makespan, proved: answer.status === 'optimal', document: answer.point.document }
}

describe('many draws', () => {
  it('of a measured instance resample its microbatches, by seed', () => {
    const draws = drawMeasured(parsed.document, 3, 6)
    expect(drawMeasured(parsed.document, 3, 6)).toEqual(draws)
    const forwards = draws.map(draw => draw.groups[0].regions[0].stages[0][0].forward)
    expect(new Set(forwards.map(String)).size).toBeGreaterThan(3)
    expect(forwards.flat().every(ticks => [9, 2, 0, 5, 14].includes(ticks))).toBe(true)
    expect(drawMeasured(parsed.document, 4, 1)[0]).toEqual(draws[1])
  })

  it('of a modelled instance draw the workload for every data-parallel group', () => {
    const model = JSON.parse(readFileSync(config, 'utf8'))
    const document = {
      format: 'tropipe.instance/1',
      name: 'q',
      ranks: 2,
      microbatches: 4,
      model,
      hardware: 'ascend-910c',
      parallel: { tp: 4, dp: 3 },
      workload: { kind: 'mixed' }
    }
    const checked = checkModelled(document)
    if (!checked.ok) throw new Error(JSON.stringify(checked.faults))
    const draws = drawModelled(checked.document, 1, 3)
    expect(draws.map(draw => draw.groups.length)).toEqual([3, 3, 3])
    const work = draws[0].groups.map(one => one.regions[0].stages[0][0].forward.reduce((a, b) => a + b))
    expect(work).toEqual([...work].sort((a, b) => b - a))
    expect(new Set(work).size).toBe(3)
  })

  it('the clairvoyant optimum is never above a family or the static schedule', async () => {
    const comparison = await compareDraws(drawMeasured(parsed.document, 1, 8), families, solve)
    const { clairvoyant, rows } = comparison
    expect(rows.map(row => row.name)).toEqual(['static', 'inline', 'dedicated', 'transpose-full', 'transpose-greedy'])
    expect(clairvoyant?.proved).toBeGreaterThanOrEqual(6)
    for (const row of rows) {
      expect(row.legal).toBe(8)
      expect(row.mean).toBeLessThanOrEqual(row.worst)
      expect(row.p95).toBeLessThanOrEqual(row.worst)
    }
    for (const row of rows.filter(one => ['static', 'transpose-full', 'transpose-greedy'].includes(one.name))) {
      expect(row.loss).toBeGreaterThanOrEqual(0)
      expect(row.mean).toBeGreaterThanOrEqual(clairvoyant!.mean)
    }
    const one = await compareDraws(drawMeasured(parsed.document, 1, 1), families, solve)
    expect(one.rows[0]).toMatchObject({ name: 'static', loss: 0 })
  })

  it('without an encoder there is nothing to draw', () => {
    const text = JSON.stringify({
      ...JSON.parse(measuredText),
      schedule: '<1f1b>',
      regions: [JSON.parse(measuredText).regions[1]]
    })
    const plain = parseInstance(text, 'json')
    if (!plain.ok) throw new Error('fixture')
    expect(() => drawMeasured(plain.document, 1, 2)).toThrow(/nothing varies/)
  })
})
