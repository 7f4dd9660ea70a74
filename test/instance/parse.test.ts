import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { instanceHash } from '../../src/instance/hash.ts'
import { parseInstance } from '../../src/instance/parse.ts'
import { writeInstance } from '../../src/instance/write.ts'
import { FROZEN, VISION } from './fixtures.ts'

function accepted(text: string, syntax: 'json' | 'yaml' = 'yaml') {
  const parsed = parseInstance(text, syntax)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults, undefined, 1))
  return parsed
}

describe('parseInstance', () => {
  it('reads a YAML instance into ticks and bytes', () => {
    const { measured, document, roundings } = accepted(FROZEN)
    expect(measured.regions.map(region => [region.name, region.skeleton, region.stages.length])).toEqual([
      ['vision', 'transpose', 1],
      ['llm', '1f1b', 2]
    ])
    expect(measured.ticksPerUnit).toBe(10)
    expect(measured.regions[0].stages[0][0].forward).toEqual([60, 90, 0])
    expect(measured.regions[1].stages[0][0].backward).toEqual({ kind: 'full', full: [205, 205, 205] })
    expect(measured.communication).toEqual({
      model: 'latency',
      send: 10,
      gather: 10,
      scatter: 0,
      broadcast: 0,
      reduce: new Map([['vision', 0]])
    })
    expect(measured.capacity).toEqual([64e9, 64e9])
    expect(measured.reserved).toEqual([0, 0])
    expect(measured.hash).toBe(instanceHash(document))
    expect(roundings).toEqual([])
  })

  it('reads the same document from JSON and from what it writes', () => {
    const { document } = accepted(FROZEN)
    for (const syntax of ['json', 'yaml'] as const) {
      const again = accepted(writeInstance(document, syntax), syntax)
      expect(again.document).toEqual(document)
      expect(instanceHash(again.document)).toBe(instanceHash(document))
    }
  })

  it('accepts the example of the documentation', () => {
    const text = readFileSync(resolve(import.meta.dirname, '../../docs/instance.md'), 'utf8')
    const [example] = [...text.matchAll(/```yaml\n(format:[^`]*)```/g)].map(match => match[1])
    expect(accepted(example).measured.microbatches).toBe(3)
  })

  it('makes the slabs of transposed regions the parts of one stage, and merges adjacent ones', () => {
    const two = FROZEN.replace('<transpose, 1f1b>', '<transpose, transpose, 1f1b>').replace(
      VISION,
      `${VISION}\n  - { name: projector, trainable: true, stages: [{ forward: 1, backward: 2 }, { forward: 3, backward: 4 }] }`
    )
    const [source] = accepted(two).measured.regions
    expect(source.name).toBe('vision+projector')
    expect(source.stages).toHaveLength(1)
    expect(source.stages[0].map(slab => [slab.origin, slab.trainable, slab.forward[1]])).toEqual([
      ['vision', false, 90],
      ['projector', true, 10],
      ['projector', true, 30]
    ])
  })
})
