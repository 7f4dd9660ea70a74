import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareFamilies } from '../../src/compare/compare.ts'
import { nodeHost } from '../../src/host/node/index.ts'
import { parseResult, parseWith } from '../../src/instance/documents/read.ts'
import { SCHEMAS } from '../../src/instance/documents/schemas.ts'
import { parseInstance } from '../../src/instance/parse.ts'
import { toResultDocument } from '../../src/optimize/document.ts'
import { optimize } from '../../src/optimize/optimize.ts'

const folder = resolve(import.meta.dirname, '../../instances')

function read(file: string) {
  const parsed = parseInstance(readFileSync(join(folder, file), 'utf8'), 'yaml')
  if (!parsed.ok) throw new Error(`${file}: ${JSON.stringify(parsed.faults)}`)
  return parsed
}

describe('documents that the tool writes', () => {
  it.each([
    ['smoke/backbone-4x8.yaml', 'optimal', 346],
    ['smoke/frozen-2x3.yaml', 'optimal', 44],
    ['smoke/frozen-4x8-e6.yaml', 'optimal', 352],
    ['smoke/memory-infeasible-2x2.yaml', 'infeasible', undefined],
    ['paper/experiment-b.yaml', 'optimal', 40695]
  ])('the result of %s reads back and carries its instance', async (file, status, makespan) => {
    const { document, measured } = read(file)
    const result = await optimize(measured, { timeLimitMs: 20_000 }, nodeHost())
    const text = JSON.stringify(toResultDocument(result, document))
    const parsed = parseResult(text)
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
    expect(parsed.document).toMatchObject({ status, instance: document, instanceHash: measured.hash })
    expect(parsed.document.makespan).toBe(makespan)
    expect(JSON.parse(text)).toEqual(parsed.document)
  })

  it('a comparison fits its schema', () => {
    const comparison = compareFamilies(read('smoke/trainable-2x3.yaml').measured)
    const parsed = parseWith(JSON.stringify(comparison), SCHEMAS['tropipe.comparison/1'])
    expect(parsed).toMatchObject({ ok: true, document: { baseline: comparison.baseline } })
  })
})
