import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runHere } from './memory-io.ts'
import { finished, start } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'tropipe-sweep-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SWEEP = [
  'compare',
  'instances/smoke/frozen-4x8-e6.yaml',
  ...['--sweep', 'ranks=2..6', '--sweep', 'encoder=0.1..4', '--without-optimum'],
  ...['--families', 'inline,transpose-full,transpose-greedy,optimus']
]

/** Whole lines of a file that may not be there yet. */
const lines = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0)

/** Points of one of two shards. */
const POINTS = 22

/**
 * Starts the second shard and kills it as soon as its store holds a point; again where it was done sooner than that was
 * seen. Answers how many points it kept.
 */
async function killedMidway(store: string, path: string): Promise<number> {
  for (let attempt = 0; attempt < 5; attempt++) {
    rmSync(path, { force: true })
    const victim = start([...SWEEP, '--store', store, '--shard', 'auto'], {
      env: { SLURM_ARRAY_TASK_ID: '1', SLURM_ARRAY_TASK_COUNT: '2' }
    })
    const watch = setInterval(() => {
      if (lines(path) > 0) victim.kill('SIGKILL')
    }, 2)
    const { code } = await finished(victim)
    clearInterval(watch)
    if (code === null) return lines(path)
  }
  return POINTS
}

describe('sweep in shards', () => {
  it('one killed and resumed: the same table as one run', { timeout: 120_000 }, async () => {
    const store = join(folder, 'results.jsonl')
    const shard = (i: number) => join(folder, `results.shard-${i}-of-2.jsonl`)
    const first = await runHere([...SWEEP, '--store', store, '--shard', '1/2'])
    expect(first.code).toBe(0)

    const kept = await killedMidway(store, shard(2))
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(POINTS)
    // What a kill in the middle of a write leaves behind.
    writeFileSync(shard(2), `${readFileSync(shard(2), 'utf8')}{"format":"tropipe.swe`)

    const resumed = await runHere([...SWEEP, '--store', store, '--shard', '2/2'])
    expect(resumed.code).toBe(0)
    expect(lines(shard(2))).toBe(POINTS)

    const whole = await runHere([...SWEEP, '--quiet'])
    const merged = await runHere(['merge', shard(1), shard(2)])
    expect(merged.code).toBe(0)
    expect(merged.stdout).toBe(whole.stdout)
    expect(merged.stdout.split('\n').length).toBeGreaterThan(45)
  })

  it('refuses a shard without a store, and a file that is no store', async () => {
    const lost = await runHere([...SWEEP, '--shard', '1/2'])
    expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining('NO_STORE')])
    const wrong = join(folder, 'wrong.jsonl')
    writeFileSync(wrong, 'nonsense\n')
    const refused = await runHere(['merge', wrong])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('NOT_A_SWEEP')])
  })
})
