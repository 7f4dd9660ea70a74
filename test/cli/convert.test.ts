import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FaultError } from '../../src/base/fault.ts'
import { convert } from '../../src/cli/commands/convert.ts'
import type { Io } from '../../src/cli/io.ts'
import type { Config } from '../../src/cli/options.ts'
import { parseInstance } from '../../src/instance/index.ts'
import { loadHighs } from '../../src/solvers/highs/run.ts'
import { ROOT } from './run.ts'

/** Runs the command on files in memory. */
async function run(files: Readonly<Record<string, string>>, path: string, options: Partial<Config>) {
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
  const all = { to: undefined, from: undefined, instance: undefined, output: undefined, ...options } as Config
  const code = await convert.run({ operands: [path], options: all, io })
  return { code, out, err, written }
}

const INSTANCE = `
format: tropipe.instance/1
name: two
unit: us
ranks: 2
microbatches: 2
schedule: "<transpose, 1f1b>"
regions:
  - { name: vision, trainable: false, stages: [{ forward: 3, backward: 0 }] }
  - { name: llm, trainable: true, stages: [{ forward: 2, backward: 4 }, { forward: 2, backward: 4 }] }
communication: { model: latency, send: 1, gather: 1, scatter: 1 }
`

/** Two encodes, one per rank, then 1F1B; transfers left out. */
const execOrder = JSON.stringify({
  exec_order: [
    ['MPIPE_TRANSPOSE_FWD 0', 'FWD 0', 'FWD 1', 'BWD 0', 'BWD 1'],
    ['MPIPE_TRANSPOSE_FWD 1', 'FWD 0', 'BWD 0', 'FWD 1', 'BWD 1']
  ].map((list, rank) =>
    list.map(text => {
      const [type, micro] = text.split(' ')
      return { type, micro: Number(micro), stage: type.startsWith('MPIPE') ? -1 : rank }
    })
  )
})

describe('convert', () => {
  it('writes the adapter next to the order', async () => {
    const { code, written } = await run({ 'a.json': execOrder }, 'a.json', {
      to: 'hyper-parallel',
      output: 'dir/b.json'
    })
    expect(code).toBe(0)
    expect(Object.keys(written)).toEqual(['dir/b.json', 'dir/b.adapter.py'])
    expect(JSON.parse(written['dir/b.json'])).toMatchObject({ format: 'tropipe.exec-order/1', owner_of_micro: [0, 1] })
  })

  it('times an order on its instance', async () => {
    const files = { 'a.json': execOrder, 'i.yaml': INSTANCE }
    const { code, out } = await run(files, 'a.json', { to: 'schedule', instance: 'i.yaml' })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ format: 'tropipe.schedule/1', P: 2, M: 2, makespan: 23 })
  })

  it('refuses an order that is none of the instance', async () => {
    const files = { 'a.csv': '0F0,0B0\n1F0,1B0\n', 'i.yaml': INSTANCE }
    await expect(run(files, 'a.csv', { to: 'schedule', instance: 'i.yaml' })).rejects.toThrow(/MISSING_EVENT/)
  })

  it('says no to an order that hangs, and writes nothing', async () => {
    const { code, err, written } = await run({ 'a.csv': '0F0,0B0\n1B0,1F0\n' }, 'a.csv', {
      to: 'zero-bubble',
      output: 'o'
    })
    expect([code, written]).toEqual([1, {}])
    expect(err).toMatch(/^CYCLE: row 2, column 1: /)
  })

  it('repairs transfers that hang', async () => {
    const hanging =
      '0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n'
    const refused = await run({ a: hanging }, 'a', { to: 'torch-csv-comms' })
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.err).toMatch(/^RENDEZVOUS: .*hangs if sends block/)
    const { code, out, err } = await run({ a: hanging }, 'a', { to: 'torch-csv-comms', repair: true })
    expect(code).toBe(0)
    expect(err).toMatch(/places with transfers changed/)
    expect((await run({ a: out }, 'a', { to: 'torch-csv-comms' })).code).toBe(0)
  })

  it('names row and column of what it cannot read', async () => {
    const error = await run({ 'a.csv': '0F0,oops\n' }, 'a.csv', { to: 'zero-bubble' }).catch(thrown => thrown)
    expect(error).toBeInstanceOf(FaultError)
    expect(error.faults[0]).toMatchObject({ path: 'a.csv, row 1, column 2', code: 'BAD_ACTION' })
  })

  it.each(['lp', 'mps', 'smt2', 'cpsat', 'mzn'])('writes the model of an instance as %s', async to => {
    const { code, out } = await run({ 'i.yaml': INSTANCE }, 'i.yaml', { to })
    expect(code).toBe(0)
    expect(out.length).toBeGreaterThan(200)
  })

  it('leaves room in the models for what memory demands beyond every family', async () => {
    const tight = readFileSync(resolve(ROOT, 'instances/smoke/memory-tight-2x3.yaml'), 'utf8')
    const { out, err } = await run({ 'i.yaml': tight }, 'i.yaml', { to: 'lp' })
    expect(err).toBe('note: times in the model are in units of 2 ticks\n')
    // Transpose families take 34 and 36 but exceed memory; the optimum is 38, and the integer model a relaxation of it.
    const { Status, ObjectiveValue } = (await loadHighs()).solve(out, { mip_rel_gap: 0 })
    expect(Status).toBe('Optimal')
    expect(2 * ObjectiveValue).toBeGreaterThan(34)
    expect(2 * ObjectiveValue).toBeLessThanOrEqual(38)
  })

  it('says which models leave transfers out, and places them in the one that can', async () => {
    const files = { 'i.yaml': INSTANCE.replace('latency', 'blocking'), 'plain.yaml': INSTANCE }
    const lp = await run(files, 'i.yaml', { to: 'lp' })
    expect(lp.err).toBe('note: lp leaves out that transfers block: its optimum is a lower bound\n')
    const [placed, plain] = [await run(files, 'i.yaml', { to: 'smt2' }), await run(files, 'plain.yaml', { to: 'smt2' })]
    expect(placed.err).toBe('')
    expect(placed.out.length).toBeGreaterThan(plain.out.length)
  })

  it('takes the instance inside a result for the models, and says so', async () => {
    const parsed = parseInstance(INSTANCE, 'yaml')
    const instance = parsed.ok ? parsed.document : undefined
    const files = {
      'i.json': JSON.stringify(instance),
      'r.json': JSON.stringify({ format: 'tropipe.result/1', instance })
    }
    for (const to of ['lp', 'mps', 'smt2', 'mzn', 'cpsat']) {
      const inside = await run(files, 'r.json', { to })
      expect(inside).toMatchObject({ code: 0, err: 'note: r.json: the instance inside is taken\n' })
      expect(inside.out).toBe((await run(files, 'i.json', { to })).out)
    }
    const tampered = { 'r.json': files['r.json'].replace('"ranks":2', '"ranks":-2') }
    await expect(run(tampered, 'r.json', { to: 'lp' })).rejects.toThrow(/ranks/)
  })

  it('with --json prints one document: texts, or where they were written, or what is wrong', async () => {
    const json = true
    const texts = await run({ 'a.json': execOrder }, 'a.json', { to: 'hyper-parallel', json })
    const shown = JSON.parse(texts.out)
    expect(shown).toMatchObject({ format: 'tropipe.conversion/1', to: 'hyper-parallel', violations: [] })
    expect(shown.files.map((file: { suffix: string }) => file.suffix)).toEqual(['', '.adapter.py'])
    const written = await run({ 'a.json': execOrder }, 'a.json', { to: 'hyper-parallel', json, output: 'd/b.json' })
    expect(written.written['d/b.json']).toBe(shown.files[0].text)
    expect(JSON.parse(written.out).files.map((file: { path: string }) => file.path)).toEqual([
      'd/b.json',
      'd/b.adapter.py'
    ])
    const hangs = await run({ 'a.csv': '0F0,0B0\n1B0,1F0\n' }, 'a.csv', { to: 'zero-bubble', json, output: 'o' })
    expect([hangs.code, hangs.written]).toEqual([1, {}])
    expect(JSON.parse(hangs.out)).toMatchObject({ files: [], violations: [{ code: 'CYCLE' }] })
  })

  it('carries a cut from one runtime to another', async () => {
    const to = await run({ a: 'Et*3|t*5L' }, 'a', { to: 'mindspeed-mm', ranks: 2, output: 'model.json' })
    expect(JSON.parse(to.written['model.json'])).toEqual({
      text_decoder: { num_layers: 8, pipeline_num_layers: [3, 5] }
    })
    expect(to.written['model.converter.txt']).toBe('llm_pp_layers [[3,5]]\n')
    const back = await run({ a: to.written['model.json'] }, 'a', { to: 'megatron-layout' })
    expect(back.out).toBe('Et*3|t*5L\n')
    await expect(run({ a: 'Et*3|t*5|L' }, 'a', { to: 'mindspeed-mm', ranks: 2 })).rejects.toThrow(/STAGES/)
  })

  it('knows what it does not know', async () => {
    await expect(run({ a: 'hello' }, 'a', { to: 'zero-bubble' })).rejects.toThrow(/UNKNOWN_FORMAT/)
    await expect(run({ a: 'hello' }, 'a', { to: 'word' })).rejects.toThrow(/UNKNOWN_FORMAT/)
  })
})
