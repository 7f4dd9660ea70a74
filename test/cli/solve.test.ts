import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runHere } from './memory-io.ts'
import { finished, ROOT, start } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'tropipe-cli-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SMOKE = 'instances/smoke/frozen-4x8-e6.yaml'
const HARD = 'instances/paper/experiment-a-alpha.yaml'
const text = (path: string) => readFileSync(resolve(ROOT, path), 'utf8')

/** Resolves when the child has told its first incumbent. */
function firstIncumbent(child: ReturnType<typeof start>): Promise<void> {
  return new Promise(done => {
    child.stderr?.on('data', chunk => {
      if (String(chunk).includes('incumbent')) done()
    })
  })
}

describe('solve', () => {
  it('prints exactly one result document with --json', async () => {
    const { code, stdout, stderr } = await runHere(['solve', SMOKE, '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({
      format: 'tropipe.result/1',
      ...{ problem: 'placement', objective: 'makespan', status: 'optimal' },
      ...{ makespan: 352, lowerBound: 352, gap: 0, unit: 'ticks', ticksPerUnit: 1 },
      certificate: { kind: 'bound', lowerBound: 352 },
      crossCheck: { closedForm: { exact: 358 }, optimum: 352, holds: true },
      schedule: { format: 'tropipe.schedule/1', P: 4, M: 8, makespan: 352 }
    })
    expect(result.schedule.instance).toBe(result.instanceHash)
    expect(result.instance).toMatchObject({ format: 'tropipe.instance/1', ranks: 4 })
  })

  it('reads stdin, YAML or JSON by content; a result goes to -o and the text to stdout', async () => {
    const out = join(folder, 'result.json')
    const { code, stdout } = await runHere(['solve', '-', '-o', out], { stdin: text(SMOKE) })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^optimal: 352 ticks, proved by /m)
    expect(stdout).toContain('rank 3 │')
    const { instance } = JSON.parse(readFileSync(out, 'utf8'))
    const again = await runHere(['solve', '-', '--json'], { stdin: JSON.stringify(instance) })
    expect(JSON.parse(again.stdout).instanceHash).toBe(JSON.parse(readFileSync(out, 'utf8')).instanceHash)
  })

  it('draws in ASCII on demand', async () => {
    const { stdout } = await runHere(['solve', SMOKE, '--ascii'])
    expect(stdout).toMatch(/^[\n -~]*$/)
  })

  it('says no with 1 when nothing fits, and what would', async () => {
    const { code, stdout } = await runHere(['solve', 'instances/smoke/memory-infeasible-2x2.yaml'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^infeasible: rank 1 holds 43\.0 GB .* 11\.0 GB above its capacity/m)
  })

  it('reports every fault of a bad instance at once, writes nothing, ends with 2', async () => {
    const out = join(folder, 'never.json')
    const bad = text(SMOKE).replace('ranks: 4', 'ranks: 0').replace('microbatches:', 'microbatch:')
    const { code, stdout } = await runHere(['solve', '-', '--json', '-o', out], { stdin: bad })
    expect(code).toBe(2)
    const { format, faults } = JSON.parse(stdout)
    expect(format).toBe('tropipe.faults/1')
    expect(faults.length).toBeGreaterThan(1)
    for (const fault of faults)
      expect(Object.keys(fault)).toEqual(expect.arrayContaining(['code', 'path', 'message', 'advice']))
    expect(readdirSync(folder)).not.toContain('never.json')
  })

  it.each([
    [
      ['solve', 'no/such/file.yaml'],
      /^error: no\/such\/file.yaml: cannot read the file: there is no such file or folder \[FILE_READ\]/
    ],
    [['solve', 'instances'], /it is a folder/],
    [['solve', SMOKE, '-o', 'no/such/folder/out.json'], /cannot write.*FILE_WRITE/],
    [['solve', SMOKE, '--solver', 'oracle'], /UNKNOWN_SOLVER/],
    [['solve', SMOKE, '--time-limit', 'soon'], /60s, 500ms or 2m/],
    [['compare', SMOKE, '--families', 'inline,outline'], /there is no family "outline" \[UNKNOWN_FAMILY\]/]
  ])('%j is refused with 2', async (args, reason) => {
    const { code, stdout, stderr } = await runHere(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(reason)
  })

  it('a time limit on a hard instance yields incumbent, bound and gap in time', async () => {
    const before = process.cpuUsage()
    const { code, stdout, stderr } = await runHere(['solve', HARD, '--time-limit', '1s', '--json'])
    const { user, system } = process.cpuUsage(before)
    expect(code).toBe(0)
    const { status, makespan, lowerBound, gap, solver } = JSON.parse(stdout)
    // Either clock will do: on a busy machine the wall clock says how busy it is.
    expect(Math.min(solver.wallMs, (user + system) / 1000)).toBeLessThan(3000)
    expect(status).toBe('feasible')
    expect(makespan).toBeGreaterThan(lowerBound)
    expect(gap).toBeCloseTo((makespan - lowerBound) / makespan, 12)
    expect(stderr).not.toContain('    at ')
  })

  it('Ctrl-C returns the incumbent with its bound', async () => {
    const child = start(['solve', HARD, '--time-limit', '50s', '--json'])
    const end = finished(child)
    await firstIncumbent(child)
    child.kill('SIGINT')
    const { code, stdout } = await end
    expect(code).toBe(0)
    const { status, solver } = JSON.parse(stdout)
    expect(status).toBe('feasible')
    expect(solver.wallMs).toBeLessThan(45_000)
  })

  it('a kill in the middle leaves the old file whole and no other', async () => {
    const home = mkdtempSync(join(folder, 'kill-'))
    const out = join(home, 'result.json')
    writeFileSync(out, 'old')
    const child = start(['solve', HARD, '--time-limit', '50s', '-o', out])
    const end = finished(child)
    await firstIncumbent(child)
    child.kill('SIGKILL')
    await end
    expect(readdirSync(home)).toEqual(['result.json'])
    expect(readFileSync(out, 'utf8')).toBe('old')
  })

  it('a reader that goes away is no fault', async () => {
    const child = start(['derive', '<transpose, 1f1b>', '--ranks', '8', '--microbatches', '64', '--json'])
    child.stdout?.once('data', () => child.stdout?.destroy())
    let stderr = ''
    child.stderr?.on('data', chunk => {
      stderr += chunk
    })
    const code = await new Promise(done => child.on('exit', done))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})

describe('compare', () => {
  it('prints rows and optimum as one document', async () => {
    const { code, stdout, stderr } = await runHere(['compare', SMOKE, '--baseline', 'transpose-full', '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { format, rows, baseline, optimum } = JSON.parse(stdout)
    expect({ format, baseline }).toEqual({ format: 'tropipe.comparison/1', baseline: 'transpose-full' })
    expect(optimum).toMatchObject({ status: 'optimal', makespan: 352, lowerBound: 352 })
    const full = rows.find((row: { family: string }) => row.family === 'transpose-full')
    expect(full).toMatchObject({ makespan: 358, speedup: 1, legal: true, closedForm: { exact: 358, paper: 358 } })
    expect(full.peakMemory).toHaveLength(4)
    expect(full.inFlight).toEqual([4, 3, 2, 1])
  })

  it('compares several instances in one CSV', async () => {
    const { code, stdout } = await runHere([
      'compare',
      SMOKE,
      'instances/smoke/frozen-2x3.yaml',
      '--format',
      'csv',
      '--families',
      'inline'
    ])
    expect(code).toBe(0)
    expect(
      stdout
        .trim()
        .split('\r\n')
        .map(line => line.split(',').slice(0, 3).join(' '))
    ).toEqual([
      'instance family makespan',
      'frozen-4x8-e6 inline 372',
      'frozen-4x8-e6 optimum 352',
      expect.stringMatching(/^frozen-2x3 inline /),
      'frozen-2x3 optimum 44'
    ])
  })
})

describe('solve --objective spill', () => {
  it('bounds and gap are of the spill, which the status names', async () => {
    const args = ['solve', 'instances/smoke/frozen-2x3.yaml', '--problem', 'owner', '--objective', 'spill']
    const { stdout } = await runHere(args)
    expect(stdout).toMatch(/^optimal: largest spill 5 ticks \(makespan 45 ticks\), proved by the spill bound$/m)
    const { stdout: json } = await runHere([...args, '--json'])
    expect(JSON.parse(json)).toMatchObject({ value: 5, lowerBound: 5, gap: 0, makespan: 45, objective: 'spill' })
  })
})

describe('solve --explain', () => {
  it('says what was checked, what proves the bound term by term, what was tried and what was not used', async () => {
    const { code, stdout } = await runHere(['solve', SMOKE, '--explain'])
    expect(code).toBe(0)
    const [, told] = stdout.split('Why this answer is trusted')
    expect(told).toContain('accepted by a checker that shares no code')
    expect(told).toMatch(/- the critical-path bound, 352 ticks/)
    expect(told).toContain('Optimal, because the schedule is as short as the bound.')
    expect(told).toMatch(/earliest-deadline +makespan 352/)
    expect(told).toContain('tropipe prove result.json --optimal')
  })
})
