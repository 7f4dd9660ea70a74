import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runHere } from './memory-io.ts'
import { ROOT } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'tropipe-faults-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const instance = resolve(ROOT, 'instances/smoke/memory-infeasible-2x2.yaml')
const config = resolve(ROOT, 'examples/configs/qwen2.5-vl-7b.json')
const modelled = ['model', '--config', config, '--ranks', '8', '--microbatches', '16']

async function told(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, { columns: 500 })
  expect(code, stderr).toBe(2)
  expect(stdout).toBe('')
  return stderr.replaceAll(`${folder}/`, '')
}

describe('what a newcomer gets wrong', () => {
  it('in a file: the file is named, once', async () => {
    const empty = file('empty.yaml', '')
    expect(await told('solve', empty)).toMatch(/^error: empty.yaml: there is no document \[EMPTY_DOCUMENT\]\n/)
    const bad = file('bad.yaml', 'format: tropipe.instance/1\nunit: minutes\n')
    const faults = await told('solve', bad)
    expect(faults).toMatch(/^\d+ faults in bad.yaml:\nerror: /)
    expect(faults).toContain('error: unit: unit must be us, ns, ms or ticks (got "minutes")')
    expect(await told('compare', bad, empty)).toContain('error: bad.yaml: unit: ')
    const { stdout } = await runHere(['solve', bad, '--json'])
    expect(JSON.parse(stdout).faults).toContainEqual(expect.objectContaining({ path: 'unit', value: 'minutes' }))
  })

  it('a file that is no text', async () => {
    const utf16 = Buffer.from('format: x', 'utf16le')
    for (const bytes of [utf16, utf16.swap16(), Buffer.from([0xff, 0xfe, 0x80])])
      expect(await told('solve', file('noise', bytes))).toMatch(
        /^error: noise: the file is not text in UTF-8 \[NOT_TEXT\]\n/
      )
  })

  it('an operand that is missing points to the help of its command', async () => {
    expect(await told('solve')).toBe('error: FILE: it is missing [USAGE]\n  See `tropipe solve --help`.\n')
  })

  it('another document where a schedule is wanted', async () => {
    expect(await told('prove', instance)).toMatch(/this is an instance, not a schedule.*\n {2}Solve it first/)
    expect(await told('convert', instance, '--to', 'svg')).toContain('this is an instance, not a schedule')
    expect(await told('prove', file('none', ' \n'))).toContain('none: the file is empty')
    const result = join(folder, 'infeasible.json')
    await runHere(['solve', instance, '--json', '-o', result])
    expect(await told('prove', result)).toContain('this result holds no schedule')
    expect(await told('prove', file('other.json', '{"format": "tropipe.hardware/1"}'))).toContain(
      'this is a tropipe.hardware/1, not a schedule'
    )
  })

  it('a schedule without brackets or commas', async () => {
    const size = ['--ranks', '2', '--microbatches', '2']
    expect(await told('derive', 'transpose,1f1b', ...size)).toContain('a list of skeletons in angle brackets')
    expect(await told('derive', '<transpose 1f1b>', ...size)).toContain(
      'Put commas between skeletons: "<transpose, 1f1b>".'
    )
  })

  it('an option of `model`: the fault is at the option', async () => {
    expect(await told('model')).toContain(
      'error: --config, --hardware, --ranks, --microbatches: the options are missing'
    )
    expect(await told(...modelled, '--hardware', 'h10')).toMatch(/^error: --hardware: .*\n {2}Did you mean "h100"\?/)
    const h100 = [...modelled, '--hardware', 'h100']
    expect(await told(...h100, '--set', 'memory=3')).toMatch(/^error: --set memory: /)
    expect(await told(...h100, '--cut', '1,2')).toMatch(/error: --cut: 2 entries for 8 stages/)
    expect(await told(...h100, '--workload', 'unifrm')).toMatch(/neither a kind of workload nor a file.*\n.*"uniform"/)
    expect(await told(...h100, '--workload', join(folder, 'no.txt'))).toContain('no.txt: cannot read the file')
  })

  it('a solver that is not there', async () => {
    expect(await told('solve', instance, '--solver', 'native:foo')).toMatch(/^error: --solver: there is no solver/)
  })
})
