import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { paperTable } from '../../src/compare/paper/paper.ts'
import { paperText } from '../../src/report/text/paper.ts'
import { runHere } from './memory-io.ts'
import { ROOT } from './run.ts'

const WIDTHS = [50, 80, 100]

/** Run first: each writes a file that the lines below read. */
const MADE = [
  'solve instances/smoke/frozen-4x8-e6.yaml --json -o ./result.json',
  'convert ./result.json --to schedule -o ./schedule.json',
  'compare instances/smoke/frozen-2x3.yaml --sweep ranks=2..3 --without-optimum --store ./sweep.jsonl',
  'model --config examples/configs/qwen2.5-vl-7b.json --hardware ascend-910c --ranks 8 --microbatches 16 -o ./qwen.yaml'
]

/** Command lines that print text for people. */
const LINES = [
  'solve instances/smoke/frozen-4x8-e6.yaml --explain',
  'solve instances/smoke/images-4x8.yaml --explain',
  'solve instances/smoke/memory-infeasible-2x2.yaml',
  'solve instances/smoke/frozen-8x16-e25.yaml --ascii',
  'prove ./result.json --optimal',
  'prove ./result.json --all-durations',
  'prove ./late.json --instance instances/smoke/frozen-4x8-e6.yaml',
  'prove ./swapped.json --instance instances/smoke/frozen-4x8-e6.yaml --all-durations',
  'prove test/formats/fixtures/interleaved-3x4.csv',
  'compare instances/smoke/frozen-4x8-e6.yaml',
  'compare instances/smoke/backbone-8x16.yaml',
  'compare instances/smoke/memory-tight-2x3.yaml --without-optimum',
  'compare ./qwen.yaml',
  'compare instances/smoke/frozen-2x3.yaml instances/smoke/trainable-2x3.yaml --sweep ranks=2..3 --sweep encoder=0.5,1 --without-optimum --families inline,dedicated,transpose-full,transpose-min,optimus',
  'compare examples/modelled/experiment-b.json --draws 2 --without-optimum',
  'merge ./sweep.jsonl',
  'derive <transpose,1f1b> --ranks 4 --microbatches 8 --trainable',
  'derive <transpose,transpose,1f1b> --ranks 4 --microbatches 8',
  'derive <dualpipe> --ranks 4 --microbatches 8 --feed bidirectional',
  'derive <transpose,1f1b> --ranks 2 --microbatches 4 --owners 1,1,0,1',
  'derive <transpose,1f1b> --ranks 4 --microbatches 8 --closed-form',
  'derive <transpose,1f1b> --ranks 4 --microbatches 8 --trainable --runtime hyper-parallel',
  'regimes instances/smoke/trainable-2x3.yaml',
  'model --config examples/configs/qwen2.5-vl-7b.json --hardware ascend-910c --ranks 8 --microbatches 16',
  'model --profile ./profile.csv',
  'hardware',
  'hardware ascend-910c',
  'hardware h100'
]

/** Writes formats of other tools and solvers, whose lines are theirs. */
const FOR_MACHINES = ['convert']
/** Works longer; its text is drawn below. */
const APART = ['paper']

describe('text for people', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tropipe-width-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const run = (line: string, columns: number) => {
    const args = line.split(' ').map(word => {
      if (word.startsWith('./')) return join(folder, word)
      return /^(instances|examples|test)\//.test(word) ? resolve(ROOT, word) : word
    })
    return runHere(args, { columns })
  }

  beforeAll(async () => {
    for (const line of MADE) expect((await run(line, 80)).code, line).toBe(0)
    const schedule = JSON.parse(readFileSync(join(folder, 'schedule.json'), 'utf8'))
    const changed = (name: string, change: (events: { start: number; end: number }[]) => void) => {
      const copy = structuredClone(schedule)
      change(copy.ranks[1])
      writeFileSync(join(folder, name), JSON.stringify(copy))
    }
    changed('late.json', events => {
      events[9].start -= 5
      events[9].end -= 5
    })
    changed('swapped.json', events => {
      for (const [index, event] of events.reverse().entries()) [event.start, event.end] = [10 * index, 10 * index + 10]
    })
    const profile = ['F,0', 'F,1', 'B,0', 'B,1'].flatMap(at => [0, 1, 2].map(m => `${at},${m},${100 + m}`))
    writeFileSync(join(folder, 'profile.csv'), ['kind,stage,microbatch,duration', ...profile].join('\n'))
  })

  it('is printed by every command but those for machines', () => {
    const tried = new Set(LINES.map(line => line.split(' ')[0]))
    expect(COMMANDS.map(({ name }) => name).filter(name => !tried.has(name))).toEqual([...FOR_MACHINES, ...APART])
  })

  it.each(LINES)('%s', async line => {
    for (const columns of WIDTHS) {
      const { code, stdout, stderr } = await run(line, columns)
      expect([0, 1], stderr).toContain(code)
      expect(stdout.length).toBeGreaterThan(50)
      expect(stdout.split('\n').filter(text => text.length > columns)).toEqual([])
      expect(stdout.split('\n').filter(text => text !== text.trimEnd())).toEqual([])
    }
  })

  it('paper', () => {
    const table = paperTable()
    for (const columns of WIDTHS) {
      const lines = paperText(table, { columns, colour: false, unicode: true }).split('\n')
      expect(lines.filter(text => text.length > columns)).toEqual([])
    }
  })

  it.each(COMMANDS.map(({ name }) => name))('%s --help', async name => {
    const { stdout } = await run(`${name} --help`, 80)
    expect(stdout.split('\n').filter(text => text.length > 80)).toEqual([])
  })
})
