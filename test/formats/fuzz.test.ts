import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CUT_FORMATS, READERS } from '../../src/formats/index.ts'
import { parseLayout } from '../../src/formats/megatron-layout.ts'
import { checkOrder } from '../../src/verify/transport/check.ts'
import { type Random, seededRandom } from '../support/generate.ts'
import { hasShared, sharedFiles, sharedText } from './shared.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')
const own = readdirSync(FIXTURES).map(name => [name, readFileSync(join(FIXTURES, name), 'utf8')] as const)
const outside = hasShared
  ? ['hyperparallel-golden', 'torch-csv', 'mindspeed-mm'].flatMap(folder =>
      sharedFiles(folder)
        .slice(0, 5)
        .map(name => [name, sharedText(folder, name)] as const)
    )
  : []

const NOISE = [
  '',
  ',',
  ';',
  '(',
  ')',
  '"',
  '{',
  '}',
  '[',
  ']',
  ':',
  '\\',
  '\n',
  '\r',
  '\t',
  ' ',
  '\uFEFF',
  '\u0000',
  '-',
  '9',
  '99999999',
  '1e9',
  'F',
  'B',
  'null',
  '*',
  '|',
  '0F0',
  'é',
  '\uD800'
]

/** One to four small damages: characters lost, doubled, replaced or moved; lines dropped, swapped; the end cut off. */
function damaged(text: string, random: Random): string {
  let out = text
  for (let i = random.int(1, 4); i > 0; i--) {
    const at = random.int(0, Math.max(0, out.length - 1))
    const length = random.int(0, 6)
    const lines = out.split('\n')
    const line = random.int(0, lines.length - 1)
    const kind = random.int(0, 6)
    if (kind === 0) out = out.slice(0, at) + out.slice(at + length)
    else if (kind === 1) out = out.slice(0, at) + random.pick(NOISE) + out.slice(at)
    else if (kind === 2) out = out.slice(0, at) + random.pick(NOISE) + out.slice(at + length)
    else if (kind === 3) out = out.slice(0, at)
    else if (kind === 4) out = lines.toSpliced(line, random.int(0, 1), random.pick(lines)).join('\n')
    else if (kind === 5) out = out.slice(0, at) + out.slice(at, at + length) + out.slice(at)
    else out = lines.toSpliced(line, 1).join('\n')
  }
  return out
}

/** Checks that a refusal says where: inside the text, with something to read and to do. */
function expectPlaces(text: string, faults: readonly object[]): void {
  const lines = text.split(/\r\n|\r|\n/).length
  expect(faults.length).toBeGreaterThan(0)
  for (const fault of faults as readonly Record<string, unknown>[]) {
    expect(fault.row).toBeGreaterThanOrEqual(1)
    expect(fault.row).toBeLessThanOrEqual(lines + 1)
    expect(fault.column).toBeGreaterThanOrEqual(1)
    expect(fault.message).not.toBe('')
    expect(fault.advice).not.toBe('')
  }
}

describe.each(READERS.map(reader => [reader.id, reader] as const))('%s reader', (_, reader) => {
  it('refuses damaged files with row and column, and never crashes', () => {
    const files = [...own, ...outside].filter(([, text]) => reader.detect(text))
    expect(files.length).toBeGreaterThan(0)
    let [refused, read] = [0, 0]
    for (const [name, text] of files) {
      const random = seededRandom(name.length * 7919 + text.length)
      for (let round = 0; round < (text.length > 20_000 ? 10 : 60); round++) {
        const changed = damaged(text, random)
        const result = reader.read(changed)
        if (result.ok) {
          checkOrder(result.order)
          read++
        } else {
          expectPlaces(changed, result.faults)
          refused++
        }
      }
    }
    expect(refused).toBeGreaterThan(20)
    expect(read + refused).toBeGreaterThan(59)
  })

  it('refuses what is of another kind', () => {
    for (const text of [
      '',
      '\n',
      '\uFEFF',
      '{}',
      '[]',
      'null',
      '{"exec_order":{}}',
      '{"exec_order":[[]',
      'hello',
      '\u0000\u0001',
      '{"format":"tropipe.schedule/1"}',
      '[[[[[[',
      `${'['.repeat(5000)}`
    ]) {
      const result = reader.read(text)
      if (!result.ok) expectPlaces(text, result.faults)
    }
  })
})

describe('cuts', () => {
  it.each(CUT_FORMATS.map(format => [format.id, format] as const))('%s: damaged files', (_, format) => {
    const files = [...own, ...outside].filter(([, text]) => format.detect(text))
    expect(files.length).toBeGreaterThan(0)
    let refused = 0
    for (const [name, text] of files) {
      const random = seededRandom(name.length * 104729 + text.length)
      for (let round = 0; round < 100; round++) {
        const result = format.read(damaged(text, random), undefined)
        if (!result.ok) {
          expect(result.faults.length).toBeGreaterThan(0)
          refused++
        }
      }
    }
    expect(refused).toBeGreaterThan(20)
  })

  it('a layout says at which character', () => {
    const random = seededRandom(5)
    let refused = 0
    for (let round = 0; round < 300; round++) {
      const text = damaged('Et*2|(t*2|)*34,t*3|(t*2|)*3,tL', random)
      const result = parseLayout(text)
      if (result.ok) continue
      expectPlaces(text, result.faults)
      refused++
    }
    expect(refused).toBeGreaterThan(50)
  })
})
