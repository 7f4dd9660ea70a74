import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { SCHEMAS, schemaFiles } from '../../src/instance/documents/schemas.ts'
import { FROZEN } from './fixtures.ts'

const folder = resolve(import.meta.dirname, '../../schema')
const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, unknown>

describe('JSON Schemas under schema/', () => {
  it('are the generated ones (`npm run schema` writes them)', () => {
    const generated = schemaFiles()
    expect(generated).toHaveLength(Object.keys(SCHEMAS).length)
    expect(readdirSync(folder).sort()).toEqual(generated.map(({ file }) => file).sort())
    for (const { file, text } of generated) expect(read(file), file).toEqual(JSON.parse(text))
  })

  it('describe every key of an instance to an editor', () => {
    let described = 0
    const visit = (node: unknown, path: string) => {
      if (typeof node !== 'object' || node === null) return
      for (const [key, child] of Object.entries((node as { properties?: object }).properties ?? {})) {
        const { description, const: constant } = child as { description?: string; const?: unknown }
        if (constant === undefined && path.includes('regions')) {
          expect(description, `${path}.${key}`).toBeTruthy()
          described++
        }
      }
      for (const [key, child] of Object.entries(node)) visit(child, `${path}.${key}`)
    }
    visit(read('instance-1.schema.json'), '')
    expect(described).toBeGreaterThan(8)
  })

  it('accept and refuse instances as the validator does', () => {
    const schema = z.fromJSONSchema(read('instance-1.schema.json') as Parameters<typeof z.fromJSONSchema>[0])
    const instances = resolve(import.meta.dirname, '../../instances')
    const files = readdirSync(instances, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.yaml'))
    expect(files.length).toBeGreaterThan(10)
    for (const file of files) {
      expect(schema.safeParse(parse(readFileSync(join(instances, file), 'utf8'))).success, file).toBe(true)
    }
    const tiny = parse(FROZEN) as Record<string, unknown>
    const bad = [
      { ...tiny, ranks: 0 },
      { ...tiny, rank: 2 },
      { ...tiny, name: '<b>' },
      { ...tiny, regions: [] }
    ]
    for (const document of bad) expect(schema.safeParse(document).success).toBe(false)
  })
})
