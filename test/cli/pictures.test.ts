import { describe, expect, it } from 'vitest'
import { convert } from '../../src/cli/commands/convert.ts'
import type { Io } from '../../src/cli/io.ts'
import type { Config } from '../../src/cli/options.ts'
import { parseInstance } from '../../src/instance/index.ts'
import { toDocument } from '../../src/schedule/document.ts'
import { transposed } from '../support/staged.ts'

const INSTANCE = `
format: tropipe.instance/1
name: two
unit: us
ranks: 2
microbatches: 2
schedule: "<transpose, 1f1b>"
regions:
  - { name: vision, trainable: false, stages: [{ forward: 3, backward: 0 }] }
  - { name: llm, trainable: true, stages: [{ forward: 2, backward: 4, activation: 10 }, { forward: 2, backward: 4, activation: 10 }] }
communication: { model: latency, send: 1, gather: 1, scatter: 1 }
`

const parsed = parseInstance(INSTANCE, 'yaml')
if (!parsed.ok) throw new Error('the instance has faults')
const { problem, schedule } = transposed(parsed.measured)
const document = toDocument(problem, schedule)

async function draw(files: Readonly<Record<string, string>>, options: Partial<Config>) {
  const written: Record<string, string> = {}
  let [out, err] = ['', '']
  const io = {
    read: async (name: string) => files[name],
    write: async (name: string, text: string) => {
      written[name] = text
    },
    out: (text: string) => {
      out += text
    },
    err: (text: string) => {
      err += text
    }
  } as unknown as Io
  const all = { to: 'svg', from: undefined, instance: undefined, output: undefined, ...options } as Config
  const code = await convert.run({ operands: ['schedule.json'], options: all, io })
  return { code, out, err, written }
}

describe('convert to pictures', () => {
  const files = { 'schedule.json': JSON.stringify(document), 'two.yaml': INSTANCE }

  it('draws a schedule with its instance: memory and critical path', async () => {
    const { code, out } = await draw(files, { instance: 'two.yaml' })
    expect(code).toBe(0)
    expect(out).toContain('class="critical"')
    expect(out).toContain('class="memory"')
    expect(out).toContain('waiting for')
  })

  it('draws a schedule alone, events only', async () => {
    const { code, out } = await draw(files, {})
    expect(code).toBe(0)
    expect(out).toContain('>E0</text>')
    expect(out).not.toContain('class="critical"')
  })

  it('writes a page', async () => {
    const { code, written } = await draw(files, { to: 'html', instance: 'two.yaml', output: 'page.html' })
    expect(code).toBe(0)
    expect(written['page.html']).toContain('<!doctype html>')
    expect(written['page.html']).toContain('Content-Security-Policy')
  })

  it('refuses an illegal schedule', async () => {
    const early = {
      ...document,
      ranks: document.ranks.map((events, r) =>
        r === 0 ? events : events.map(e => ({ ...e, start: 0, end: e.end - e.start }))
      )
    }
    const { code, out, err } = await draw(
      { ...files, 'schedule.json': JSON.stringify(early) },
      { instance: 'two.yaml' }
    )
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('OVERLAP')
  })
})
