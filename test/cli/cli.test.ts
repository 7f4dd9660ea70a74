import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runHere } from './memory-io.ts'
import { tropipe } from './run.ts'

describe('command line', () => {
  it('prints its version, and with --verbose that of every solver', async () => {
    const { code, stdout, stderr } = await tropipe(['--version', '--verbose'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of ['tropipe', 'node', 'glpk.js', 'highs', 'z3-solver'])
      expect(stdout).toMatch(new RegExp(`^${name} `, 'm'))
  })

  it.each([
    [['nonsense'], /unknown command "nonsense"/],
    [['slove'], /Did you mean "solve"\?/],
    [['slove', 'x', '--problem', 'joint'], /unknown command "slove"/],
    [['--verson'], /--verson: unknown option[\s\S]*Did you mean "--version"\?/],
    [['help', 'slove'], /Did you mean "solve"\?/],
    [['solve', 'x', '--sead', '3'], /--sead: unknown option[\s\S]*Did you mean --seed\?/],
    [['solve', 'x', '--problem', 'jont'], /--problem: "jont" is not possible here[\s\S]*Did you mean "joint"\?/],
    [['solve', 'x', '--seed', 'three'], /--seed: "three"[\s\S]*whole number/],
    [['solve', 'x', '--seed'], /--seed: the option needs a value/],
    [['compare', 'x', '--families', 'inlin'], /Did you mean "inline"\?/],
    [['convert', 'x'], /--to: no format to write is given/],
    [['convert', 'x', '--to', 'lpp'], /Did you mean "lp"\?/],
    [['prove', 'package.json', '--from', 'torch-cvs'], /Did you mean "torch-csv"\?/],
    [['hardware', 'cloudmatrix38'], /Did you mean "cloudmatrix384"\?/],
    [['derive'], /SPEC\|FILE: it is missing/],
    [['derive', '<1f1b>', 'more', '--ranks', '2', '--microbatches', '2'], /too many arguments/],
    [['derive', '<transpose, 1f1b>', '--rank', '4'], /--rank: unknown option[\s\S]*--ranks/],
    [['derive', '<transpose, 1f1b>'], /--ranks P and --microbatches M/],
    [['derive', '<1f1b>', '--ranks', '1025', '--microbatches', '1'], /--ranks: the limit is 1024 \(got 1025\)/],
    [['derive', '<1f1b>', '--ranks', '1000', '--microbatches', '2000'], /TOO_LARGE/],
    [
      ['derive', 'instances/smoke/frozen-2x3.yaml', '--ranks', '8'],
      /--ranks: does nothing here: the instance says it itself/
    ],
    [
      ['derive', '<1f1b>', '--ranks', '2', '--microbatches', '2', '--chunks', '2'],
      /--chunks: .*for --runtime \(got 2\) \[IDLE_OPTION\]/
    ],
    [['prove', 'x', '--ranks', '2'], /--ranks: .*IDLE_OPTION/],
    [['prove', 'x', '--optimal', '--all-durations'], /--all-durations: .*IDLE_OPTION/],
    [
      ['prove', 'x', '--family', '<1f1b>', '--ranks', '2', '--microbatches', '2'],
      /FILE: a family is proved without a file/
    ],
    [['prove', '--family', '<1f1b>', '--ranks', '2000', '--microbatches', '2'], /TOO_LARGE/],
    [
      ['compare', 'x', '--draws', '2', '--html', 'y', '--sweep', 'ranks=2'],
      /--html: .*IDLE_OPTION[\s\S]*--sweep: .*IDLE_OPTION/
    ],
    [['convert', 'x', '--to', 'lp', '--instance', 'y'], /--instance: .*IDLE_OPTION/],
    [['convert', 'x', '--to', 'svg', '--repair'], /--repair: .*IDLE_OPTION/],
    [['compare', 'x', '--sweep', 'ranks=1..99999999999'], /ranks go up to 1024/],
    [['compare', 'x', '--sweep', 'rank=1..9'], /Did you mean "ranks"\?/],
    [['derive', '<transpose, 1f1b>', '--ranks', '64', '--microbatches', '512', '--closed-form'], /TOO_MANY_TERMS/],
    [['derive', '<waltz>', '--ranks', '2', '--microbatches', '2'], /UNKNOWN_SKELETON/]
  ])('usage: %j ends with 2 and says why', async (args, reason) => {
    const { code, stdout, stderr } = await runHere(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(reason)
  })

  it.each([
    ['derive', 'instances/smoke/frozen-2x3.yaml'],
    ['derive', 'instances/smoke/frozen-2x3.yaml', '--closed-form'],
    ['derive', '<1f1b>', '--ranks', '2', '--microbatches', '3', '--runtime', 'hyper-parallel'],
    ['regimes', 'instances/smoke/frozen-2x3.yaml']
  ])('-o writes the document that --json prints, beside the text: %s %s', async (...args) => {
    const folder = mkdtempSync(join(tmpdir(), 'tropipe-cli-'))
    const path = join(folder, 'out.json')
    const text = await runHere([...args, '-o', path])
    expect(text.code).toBe(0)
    expect(text.stdout).not.toMatch(/^\{/)
    expect(text.stdout.length).toBeGreaterThan(100)
    expect(readFileSync(path, 'utf8')).toBe((await runHere([...args, '--json'])).stdout)
    rmSync(folder, { recursive: true })
  })

  it('of several instances, a fault says which one it is in', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tropipe-cli-'))
    const path = join(folder, 'bad.yaml')
    writeFileSync(path, 'format: tropipe.instance/1\n--- \nformat: x\n')
    const { code, stderr } = await runHere(['compare', 'instances/smoke/frozen-2x3.yaml', path, '--without-optimum'])
    expect(code).toBe(2)
    expect(stderr).toContain(`error: ${path}: line 2, column 1: not readable as YAML: the file has several documents`)
    rmSync(folder, { recursive: true })
  })

  it('stdin is read once', async () => {
    const { code, stderr } = await tropipe(['compare', '-', '-', '--without-optimum'], {
      stdin: readFileSync('instances/smoke/frozen-2x3.yaml', 'utf8')
    })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: -: stdin was read already \[FILE_READ\]/)
  })

  it('a baseline that is not compared is told', async () => {
    const { code, stderr } = await runHere([
      'compare',
      'instances/smoke/frozen-2x3.yaml',
      '--without-optimum',
      '--baseline',
      'dualpipe'
    ])
    expect(code).toBe(0)
    expect(stderr).toMatch(/dualpipe is not among what is compared; speedups refer to inline/)
  })

  it('prints faults as one document with --json', async () => {
    const { code, stdout, stderr } = await runHere([
      'derive',
      '<waltz>',
      '--ranks',
      '2',
      '--microbatches',
      '2',
      '--json'
    ])
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'tropipe.faults/1',
      faults: [{ code: 'UNKNOWN_SKELETON', value: 'waltz' }]
    })
  })

  it.each([
    [['solve', 'no/such.yaml'], { code: 'FILE_READ', path: 'no/such.yaml', value: 'no/such.yaml' }],
    [['solve', 'x', '--threads', '0'], { code: 'USAGE', path: '--threads', value: '0' }],
    [['solve'], { code: 'USAGE', path: 'FILE', value: null }],
    [['slove'], { code: 'USAGE', path: 'COMMAND', value: 'slove' }],
    [['solve', '-'], { code: 'NOT_YET', path: 'schedule', value: 'wave' }]
  ])('every fault has all its keys: %j', async (args, expected) => {
    const stdin = `{"format":"tropipe.instance/1","name":"w","ranks":1,"microbatches":1,"schedule":"<wave>",
      "regions":[{"name":"llm","trainable":true,"stages":[{"forward":1,"backward":1},{"forward":1,"backward":1}]}]}`
    const { code, stdout } = await runHere([...args, '--json'], { stdin })
    expect(code).toBe(2)
    const [fault] = JSON.parse(stdout).faults
    expect(fault).toMatchObject(expected)
    expect(Object.keys(fault)).toEqual(['code', 'path', 'value', 'message', 'advice'])
  })
})
