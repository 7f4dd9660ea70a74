import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseWith } from '../../src/instance/documents/read.ts'
import { SCHEMAS } from '../../src/instance/documents/schemas.ts'
import { runHere } from './memory-io.ts'
import { ROOT } from './run.ts'

const INSTANCE = resolve(ROOT, 'instances/smoke/frozen-2x3.yaml')
const folder = mkdtempSync(join(tmpdir(), 'tropipe-prove-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** The answer of `solve` on the smoke instance, asked once. */
const solved = runHere(['solve', INSTANCE, '--json', '--quiet', '--time-limit', '20s']).then(({ stdout }) => stdout)

/** The same result with one thing changed. */
// biome-ignore lint/suspicious/noExplicitAny: a document that is to be broken
async function changed(name: string, change: (result: any) => void): Promise<string> {
  const result = JSON.parse(await solved)
  change(result)
  return file(name, JSON.stringify(result))
}

describe('prove: this schedule', { timeout: 180_000 }, () => {
  it('legal: 0, from a result, and from a schedule with its instance', async () => {
    const result = file('result.json', await solved)
    const schedule = file('schedule.json', JSON.stringify(JSON.parse(await solved).schedule))
    expect(await runHere(['prove', result])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^legal: 15 events/)
    })
    const { code, stdout } = await runHere(['prove', schedule, '--instance', INSTANCE, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'tropipe.proof/1',
      legal: true,
      strength: 'this schedule',
      violations: []
    })
  })

  it('illegal: 1, with the cell marked, both events, and advice', async () => {
    const path = await changed('early.json', result => {
      result.schedule.ranks[1][1].start -= 1
      result.schedule.ranks[1][1].end -= 1
    })
    const { code, stdout } = await runHere(['prove', path])
    expect(code).toBe(1)
    expect(stdout).toMatch(/\[1F0\]/)
    expect(stdout).toMatch(
      /PRECEDENCE at rank 1, step 1, microbatch 0: F\(stage 1, microbatch 0\) \[\d+, \d+\) starts before/
    )
    expect(stdout).toMatch(/advice: Start it at \d+ or later/)
    const { stdout: json } = await runHere(['prove', path, '--json'])
    expect(JSON.parse(json)).toMatchObject({
      legal: false,
      violations: [
        { code: 'PRECEDENCE', rank: 1, step: 1, event: { kind: 'F', stage: 1, microbatch: 0 }, other: { rank: 0 } }
      ]
    })
  })

  it.each([
    ['a schedule without its instance', (r: { instance?: unknown }) => delete r.instance, /MISSING_INSTANCE/],
    ['another makespan', (r: { makespan: number }) => (r.makespan -= 1), /^error: makespan: .*DISAGREES/],
    ['a raised bound', (r: { lowerBound: number }) => (r.lowerBound += 1), /lowerBound: .*DISAGREES/],
    ['another status', (r: { status: string }) => (r.status = 'infeasible'), /^error: status: .*DISAGREES/],
    ['another problem', (r: { problem: string }) => (r.problem = 'joint'), /^error: problem: .*DISAGREES/],
    ['another gap', (r: { gap: number }) => (r.gap = 0.5), /^error: gap: .*DISAGREES/],
    ['another hash', (r: { instanceHash: string }) => (r.instanceHash = 'x'), /^error: instanceHash: .*DISAGREES/],
    ['another instance', (r: { schedule: { instance: string } }) => (r.schedule.instance = 'x'), /OTHER_INSTANCE/],
    [
      'a stage of an encode',
      (r: { schedule: { ranks: { kind: string; stage?: number }[][] } }) =>
        (r.schedule.ranks.flat().find(event => event.kind === 'E')!.stage = 9),
      /row 1, column .*E has no stage/
    ],
    ['a broken list', (r: { schedule: { ranks: unknown } }) => (r.schedule.ranks = [1]), /row 1, column/]
  ])('bad input: 2, %s', async (name, change, reason) => {
    const { code, stderr, stdout } = await runHere([
      'prove',
      await changed(`${name.replaceAll(' ', '-')}.json`, change)
    ])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(reason)
  })
})

describe('prove --all-durations', { timeout: 180_000 }, () => {
  it('says what holds for every duration, confirmed by Z3', async () => {
    const { code, stdout } = await runHere(['prove', file('all.json', await solved), '--all-durations', '--json'])
    const proof = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(proof).toMatchObject({
      legal: true,
      strength: 'this order, for every duration',
      everyDuration: { inFlight: [2, 1], needed: ['rank order', 'send', 'recvGrad', 'gather', 'accumulate'] }
    })
    const { status, witnesses } = proof.everyDuration.solver
    expect(status).toBe('confirmed')
    expect(witnesses.map((witness: { without: string }) => witness.without)).toEqual(proof.everyDuration.needed)
    expect(witnesses[1].counterexample).toMatch(/starts at \d+, before .* has ended/)
  })
})

it('an order of another instance is refused, before anything of it is looked up', async () => {
  const order = file('order.csv', '0F0,0F1,0F2,,,0B0,0B1,0B2\n,1F0,1F1,1F2,1B0,1B1,1B2,\n,,2F0,2F1,2B0,2B1,2F2,2B2\n')
  const { code, stderr } = await runHere(['prove', order, '--instance', INSTANCE])
  expect(code).toBe(2)
  expect(stderr).toMatch(/the order has 3 ranks, the instance 2/)
})

describe('prove --optimal', { timeout: 180_000 }, () => {
  it('prints a document that fits its schema', async () => {
    const { stdout } = await runHere(['prove', file('proof.json', await solved), '--optimal', '--json'])
    const parsed = parseWith(stdout, SCHEMAS['tropipe.proof/1'])
    expect(parsed).toMatchObject({
      ok: true,
      document: { optimal: { status: 'proved' }, certificate: { kind: 'bound' } }
    })
  })

  it('checks the certificate again: 0 where it holds, 1 where it states too much, 3 where it holds too little', async () => {
    const result = file('optimal.json', await solved)
    expect(await runHere(['prove', result, '--optimal'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/optimal for placement/)
    })
    const lie = await changed('lie.json', ({ certificate }) => {
      certificate.ticks += 1
      certificate.lowerBound += 1
    })
    expect(await runHere(['prove', lie, '--optimal'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/does not hold/)
    })
    const bare = await changed('bare.json', ({ certificate }) => {
      certificate.kind = 'none'
      certificate.lowerBound = 0
    })
    expect(await runHere(['prove', bare, '--optimal'])).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/not proved optimal/)
    })
    const none = await changed('none.json', result => delete result.certificate)
    expect(await runHere(['prove', none, '--optimal'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/NO_CERTIFICATE/)
    })
  })
})

describe('prove: orders of other tools', { timeout: 180_000 }, () => {
  const csv = '0F0,0F1,0B0,0F2,0B1,0B2\n1F0,1B0,1F1,1B1,1F2,1B2\n'

  it('proves an order without times for every duration', async () => {
    const { code, stdout } = await runHere(['prove', file('order.csv', csv)])
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^legal: 12 actions on 2 ranks \(torch-csv/)
    })
    expect(stdout).toMatch(/activations in flight at most, by rank: 2, 1/)
  })

  it('prints the cycle of one that cannot finish', async () => {
    const { code, stdout } = await runHere(['prove', '-', '--from', 'torch-csv'], {
      stdin: csv.replace('1F0,1B0', '1B0,1F0')
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(/CYCLE/)
  })

  it('offers the transfers that cannot hang for those that do', async () => {
    const hangs = [
      '0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1',
      '1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1'
    ]
    const fine = await runHere(['prove', file('fine.csv', `${hangs.join('\n')}\n`), '--from', 'torch-csv'])
    expect(fine.stdout).toMatch(/buffered: finishes/)
    const crossed = hangs.with(1, '1RECV_F1,1RECV_F0,1F0,1B0,1SEND_B0,1F1,1B1,1SEND_B1')
    const { code, stdout } = await runHere(['prove', file('crossed.csv', `${crossed.join('\n')}\n`), '--json'])
    const proof = JSON.parse(stdout)
    expect(code).toBe(1)
    expect(proof.violations.map((violation: { code: string }) => violation.code)).toContain('P2P_ORDER')
    expect(proof.repair.length).toBeGreaterThan(0)
  })

  it('times, compares and improves one on an instance', async () => {
    const backbone = resolve(ROOT, 'instances/smoke/backbone-4x8.yaml')
    const rows = [0, 1, 2, 3].map(rank => {
      const all = (kind: string) => [...Array(8).keys()].map(m => `${rank}${kind}${m}`)
      return [...all('F'), ...all('B')].join(',')
    })
    const args = [
      'prove',
      file('gpipe.csv', `${rows.join('\n')}\n`),
      '--instance',
      backbone,
      '--time-limit',
      '5s',
      '--json'
    ]
    const { code, stdout } = await runHere(args)
    const { timing, makespan } = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(makespan).toBe(timing.makespan)
    expect(timing.families.length).toBeGreaterThan(0)
    if (timing.improved) expect(timing.improved.makespan).toBeLessThan(makespan)
  })
})

describe('prove --family', { timeout: 180_000 }, () => {
  it('proves every member of the ranges', async () => {
    const { code, stdout } = await runHere([
      'prove',
      '--family',
      '<1f1b>',
      '--ranks',
      '2..3',
      '--microbatches',
      '1..2',
      '--json'
    ])
    const proof = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(proof).toMatchObject({ format: 'tropipe.proof/1', legal: true, schedule: '<1f1b>', violations: [] })
    expect(proof.members.map((row: { P: number; M: number }) => [row.P, row.M])).toEqual([
      [2, 1],
      [2, 2],
      [3, 1],
      [3, 2]
    ])
  })

  it.each([[['--family', '<1f1b>']], [['--family', '<1f1b>', '--ranks', '3..2', '--microbatches', '1']], [[]]])(
    'usage: %j ends with 2',
    async args => {
      expect((await runHere(['prove', ...args])).code).toBe(2)
    }
  )
})
