import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { instanceHash } from '../../src/instance/hash.ts'
import { measure } from '../../src/instance/measure.ts'
import { parseInstance } from '../../src/instance/parse.ts'
import type { InstanceDocument } from '../../src/instance/schema.ts'
import { writeInstance } from '../../src/instance/write.ts'
import { FROZEN } from './fixtures.ts'

const decimal = fc.oneof(
  fc.integer({ min: 0, max: 1_000_000 }),
  fc
    .tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 9 }))
    .map(([digits, places]) => Number(`${digits}e-${places}`))
)
const list = (length: number) => fc.oneof(decimal, fc.array(decimal, { minLength: length, maxLength: length }))

const slab = (microbatches: number) =>
  fc.record(
    {
      forward: list(microbatches),
      backward: fc.oneof(list(microbatches), fc.record({ input: list(microbatches), weight: list(microbatches) })),
      weightShare: fc.integer({ min: 0, max: 4 }).map(quarters => quarters / 4),
      activation: decimal,
      parameters: decimal,
      output: decimal
    },
    { requiredKeys: ['forward', 'backward'] }
  )

/** Valid documents, with what is optional left out at random. */
const documents = fc
  .record({
    ranks: fc.integer({ min: 1, max: 4 }),
    microbatches: fc.integer({ min: 1, max: 5 }),
    chunks: fc.integer({ min: 1, max: 2 }),
    sources: fc.integer({ min: 0, max: 2 })
  })
  .chain(({ ranks, microbatches, chunks, sources }) => {
    const names = [...['vision', 'projector'].slice(0, sources), 'llm']
    const region = (name: string) => {
      const count = name === 'llm' ? ranks * chunks : 2
      const stages = fc.array(slab(microbatches), { minLength: count, maxLength: count })
      return fc.record({ name: fc.constant(name), trainable: fc.boolean(), stages })
    }
    return fc.record(
      {
        format: fc.constant('tropipe.instance/1'),
        name: fc.constantFrom('a', 'frozen-vit-4x8', 'x_1.2'),
        description: fc.constantFrom('', 'two\nlines', ' lead: [x] # "y"', '\u20ac "\' \\'),
        source: fc.string({ unit: fc.constantFrom('a', ' ', ':', '#', '-', '"', '\n', '\t', '\u00e9') }),
        unit: fc.constantFrom('us', 'ns', 'ms', 'ticks'),
        ranks: fc.constant(ranks),
        microbatches: fc.constant(microbatches),
        schedule: fc.constant(`<${[...new Array<string>(sources).fill('transpose'), '1f1b'].join(', ')}>`),
        regions: fc.tuple(...names.map(region)),
        communication: fc.record(
          { send: decimal, gather: decimal, reduce: fc.record({ llm: decimal }) },
          { requiredKeys: [] }
        ),
        memory: fc.record(
          { capacity: decimal, reserved: fc.array(decimal, { minLength: ranks, maxLength: ranks }) },
          { requiredKeys: [] }
        ),
        options: fc.record({ encoderBackward: fc.constantFrom('owner', 'first-rank') }, { requiredKeys: [] }),
        dedicated: fc.record({ stages: fc.array(slab(microbatches), { minLength: ranks - 1, maxLength: ranks - 1 }) })
      },
      { requiredKeys: ['format', 'name', 'ranks', 'microbatches', 'schedule', 'regions'] }
    )
  })

function accepted(text: string, syntax: 'json' | 'yaml') {
  const parsed = parseInstance(text, syntax)
  if (!parsed.ok) throw new Error(`${JSON.stringify(parsed.faults)}\n${text}`)
  return parsed
}

describe('generated instances', () => {
  it('parse(write(document)) is the document, with the same hash and the same measured instance', () => {
    let applied = 0
    fc.assert(
      fc.property(documents, stated => {
        const first = accepted(JSON.stringify(stated), 'json')
        for (const syntax of ['json', 'yaml'] as const) {
          const again = accepted(writeInstance(first.document, syntax), syntax)
          expect(again).toEqual(first)
          // The order of keys too, at every depth.
          expect(JSON.stringify(again.document)).toBe(JSON.stringify(first.document))
        }
        applied++
      }),
      { seed: 31, numRuns: 80 }
    )
    expect(applied).toBe(80)
  })

  it('the hash reads the meaning only', () => {
    const spread = (numbers: number | readonly number[], count: number) =>
      typeof numbers === 'number' ? new Array<number>(count).fill(numbers) : [...numbers]
    let changed = 0
    fc.assert(
      fc.property(documents, stated => {
        const { document } = accepted(JSON.stringify(stated), 'json')
        const hash = instanceHash(document)
        const regions = document.regions.map(region => ({
          ...region,
          stages: region.stages.map(entry => ({ ...entry, forward: spread(entry.forward, document.microbatches) }))
        }))
        const same: InstanceDocument = { ...document, name: 'other', description: 'other', source: 'other', regions }
        expect(instanceHash(same)).toBe(hash)
        expect(measure(same).regions).toEqual(measure(document).regions)
        const [first, ...rest] = document.regions
        const others: InstanceDocument[] = [
          { ...document, regions: [{ ...first, trainable: !first.trainable }, ...rest] },
          { ...document, microbatches: document.microbatches + 1 },
          { ...document, communication: { ...document.communication, send: document.communication.send + 1 } },
          { ...document, unit: document.unit === 'us' ? 'ms' : 'us' }
        ]
        for (const other of others) {
          expect(instanceHash(other)).not.toBe(hash)
          changed++
        }
      }),
      { seed: 32, numRuns: 60 }
    )
    expect(changed).toBe(240)
  })
})

/** Things that have no business in most places of a document. */
const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    -1,
    0,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    1e16,
    0.1,
    '',
    '<x>',
    '__proto__',
    true,
    [],
    {},
    [[[]]],
    [null],
    { a: 1 }
  ),
  fc.jsonValue()
)

type Container = Record<string, unknown> | unknown[]

/** Every place of a document: its container and key. */
function places(root: Container): [Container, string][] {
  return Object.entries(root).flatMap(([key, value]) => [
    [root, key] as [Container, string],
    ...(typeof value === 'object' && value !== null ? places(value as Container) : [])
  ])
}

function mutate(container: Container, key: string, action: string, value: unknown): void {
  const target = container as Record<string, unknown>
  if (action === 'replace') target[key] = value
  else if (action === 'add' && Array.isArray(container)) container.push(value)
  else if (action === 'add') target[`${key}s`] = value
  else if (Array.isArray(container)) container.splice(Number(key), 1)
  else delete target[key]
}

const fixture = parse(FROZEN) as Container

describe('faulty documents', () => {
  it('mutated documents are accepted or refused with faults, never thrown at', () => {
    let [refused, several] = [0, 0]
    const mutation = fc.tuple(fc.nat(), fc.constantFrom('replace', 'add', 'remove'), junk)
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), mutations => {
        const root = structuredClone(fixture)
        for (const [at, action, value] of mutations) {
          const all = places(root)
          if (all.length > 0) mutate(...all[at % all.length], action, value)
        }
        const parsed = parseInstance(JSON.stringify(root), 'json')
        if (parsed.ok) return
        refused++
        if (parsed.faults.length > 1) several++
        expect(parsed.faults.length).toBeGreaterThan(0)
        for (const { code, message, advice } of parsed.faults) {
          expect(code).toMatch(/^[A-Z_]+$/)
          expect(message && advice).toBeTruthy()
        }
      }),
      { seed: 41, numRuns: 800 }
    )
    expect(refused).toBeGreaterThan(500)
    expect(several).toBeGreaterThan(150)
  })

  it('mutated texts are accepted or refused with faults, never thrown at', () => {
    let refused = 0
    const pieces = fc.constantFrom(
      '',
      ' ',
      '\n',
      ':',
      '- ',
      '[',
      '}',
      '"',
      "'",
      '&a ',
      '*a',
      '!!x ',
      '|',
      '>',
      '%',
      '\t',
      '\u0000',
      '1',
      '#'
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(8), pieces), { minLength: 1, maxLength: 4 }), edits => {
        let text = FROZEN
        for (const [at, cut, piece] of edits) {
          const place = at % (text.length + 1)
          text = text.slice(0, place) + piece + text.slice(place + cut)
        }
        for (const syntax of ['yaml', 'json'] as const) {
          const parsed = parseInstance(text, syntax)
          if (!parsed.ok) refused++
          if (!parsed.ok) expect(parsed.faults.length).toBeGreaterThan(0)
        }
      }),
      { seed: 42, numRuns: 250 }
    )
    expect(refused).toBeGreaterThan(350)
  })
})
