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
    [['nonsense'], /unknown command 'nonsense'/],
    [['derive'], /missing required argument/],
    [['derive', '<1f1b>', 'more', '--ranks', '2', '--microbatches', '2'], /too many arguments/],
    [['derive', '<transpose, 1f1b>', '--rank', '4'], /unknown option '--rank'[\s\S]*--ranks/],
    [['derive', '<transpose, 1f1b>'], /--ranks P and --microbatches M/],
    [['derive', '<1f1b>', '--ranks', '1025', '--microbatches', '1'], /--ranks: the limit is 1024 \(got 1025\)/],
    [['derive', '<1f1b>', '--ranks', '1000', '--microbatches', '2000'], /TOO_LARGE/],
    [['derive', '<waltz>', '--ranks', '2', '--microbatches', '2'], /UNKNOWN_SKELETON/]
  ])('usage: %j ends with 2 and says why', async (args, reason) => {
    const { code, stdout, stderr } = await runHere(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(reason)
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
})
