import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { readInput } from '../../src/cli/files.ts'
import type { Io } from '../../src/cli/io.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { PLAIN } from '../../src/report/text/style.ts'
import { torchTrace, unmarked } from '../model/profile-fixtures.ts'
import { tropipe } from './run.ts'

const examples = resolve(import.meta.dirname, '../../examples/configs')
const folder = mkdtempSync(join(tmpdir(), 'tropipe-model-'))
afterAll(() => rmSync(folder, { recursive: true }))

const config = join(examples, 'qwen2.5-vl-7b.json')
const base = ['model', '--config', config, '--hardware', 'ascend-910c', '--ranks', '4', '--microbatches', '6']

/** Runs the command line in this process: what it prints, or the fault that it throws. */
async function run(args: readonly string[]): Promise<string> {
  let printed = ''
  const io = {
    style: PLAIN,
    out: (text: string) => {
      printed += text
    },
    err: () => {},
    read: readInput
  } as unknown as Io
  await buildProgram(COMMANDS, io, () => {}).parseAsync([...args], { from: 'user' })
  return printed
}

describe('tropipe model and hardware', () => {
  it('writes an instance that solve proves, and says where each number comes from', async () => {
    const out = join(folder, 'q.yaml')
    const { code, stdout, stderr } = await tropipe([...base, '--tp', '2', '-o', out])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const text of ['device = one die', 'vision.merge', 'default of model type qwen2_5_vl', 'same node', 'TFLOP'])
      expect(stdout).toContain(text)
    const solved = await tropipe(['solve', out, '--json', '--quiet'])
    expect(solved.code).toBe(0)
    expect(JSON.parse(solved.stdout).status).toMatch(/optimal|feasible/)
  })

  it('prints one tropipe.model/1 document with --json', async () => {
    const document = JSON.parse(await run([...base, '--tp', '2', '--workload', 'laion', '--seed', '3', '--json']))
    expect(document).toMatchObject({ format: 'tropipe.model/1', model: { parameters: { text: 7_615_616_512 } } })
    expect(document.instance.regions.map((region: { name: string }) => region.name)).toEqual(['vision', 'llm'])
    expect(document.model.assumptions.length).toBeGreaterThan(10)
  })

  it('solve takes the modelled form itself', async () => {
    const path = join(folder, 'modelled.json')
    const model = JSON.parse(readFileSync(config, 'utf8'))
    const hardware = { preset: 'ascend-910c', nodeGBs: 100 }
    const document = { format: 'tropipe.instance/1', name: 'm', ranks: 2, microbatches: 3, model, hardware }
    writeFileSync(path, JSON.stringify({ ...document, parallel: { tp: 4 } }))
    const { code, stderr } = await tropipe(['solve', path])
    expect(code).toBe(0)
    expect(stderr).toContain('costs come from the cost model')
  })

  it('explains hardware with sources, and lists it', async () => {
    expect(await run(['hardware', '910C'])).toContain('arXiv 2506.12708')
    expect(JSON.parse(await run(['hardware', '--json'])).presets.length).toBe(12)
  })

  it.each([
    [['model', '--config', config], /--hardware, --ranks, --microbatches: the options are missing/],
    [[...base, '--set', 'memoryGiB=64000000000'], /No card has that much HBM/],
    [[...base, '--set', 'memoryGiB=10'], /no cut fits/],
    [[...base, '--cut', '7,7,7,6'], /27 of 28 layers placed/],
    [[...base, '--train', 'eyes'], /there is no part "eyes"/],
    [['model', '--config', resolve(import.meta.dirname, 'run.ts'), ...base.slice(3)], /not a model config/],
    [['hardware', 'abacus'], /no hardware preset "abacus"/]
  ])('%j is refused and says what to change', async (args, reason) => {
    await expect(run(args)).rejects.toThrow(reason)
  })
})

describe('profiles', () => {
  it('gzipped traces of all ranks become an instance; warm-up and notes are told', async () => {
    const paths = [0, 1].map(rank => join(folder, `rank${rank}.json.gz`))
    paths.forEach((path, rank) => {
      writeFileSync(path, gzipSync(torchTrace(rank, 3)))
    })
    const out = join(folder, 'profile.yaml')
    const { code, stdout } = await tropipe(['model', '--profile', paths.join(','), '-o', out])
    expect(code).toBe(0)
    expect(stdout).toMatch(/step 0 left out as warm-up/)
    expect(stdout).toMatch(/transfers and exchanges passed over/)
    const solved = await tropipe(['solve', out, '--json', '--quiet'])
    expect(JSON.parse(solved.stdout)).toMatchObject({ status: 'optimal', unit: 'us' })
  })

  it('half a gzip file and a trace without markers are refused', async () => {
    const path = join(folder, 'half.json.gz')
    writeFileSync(path, gzipSync(torchTrace(0, 2)).subarray(0, 60))
    expect((await tropipe(['model', '--profile', path])).stderr).toMatch(/not a whole gzip file/)
    writeFileSync(path, unmarked)
    const { code, stderr } = await tropipe(['model', '--profile', path])
    expect([code, /TRACE_NO_MARKERS/.test(stderr)]).toEqual([2, true])
  })
})
