import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hyperParallelReader } from '../../src/formats/hyper-parallel.ts'
import { hyperParallelWriter } from '../../src/formats/hyper-parallel-writer.ts'
import type { OutputFile } from '../../src/formats/types.ts'
import { foreignOrder, type Run } from '../../src/schedule/foreign.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')
const hasPython = spawnSync('python3', ['--version']).status === 0

function filesOf(name: string): readonly OutputFile[] {
  const result = hyperParallelReader.read(readFileSync(join(FIXTURES, name), 'utf8'))
  if (!result.ok) throw new Error(result.faults[0].message)
  const written = hyperParallelWriter.write({ order: result.order })
  if (!written.ok) throw new Error(written.faults[0].message)
  return written.files
}

describe('hyper-parallel writer', () => {
  it('sets the environment that single feature receives need', () => {
    const [main, adapter] = filesOf('frozen-3x4.exec-order.json')
    expect(JSON.parse(main.text).env).toEqual({ HYPER_PARALLEL_MPIPE_RECV_BATCH: '0' })
    expect(adapter.text).toContain('ENVIRONMENT = {"HYPER_PARALLEL_MPIPE_RECV_BATCH": "0"}')
  })

  it('a trained encoder: broadcast first and reduction last on every rank, owners receive and run in one step', () => {
    const [main] = filesOf('trained-3x4.exec-order.json')
    const lists = Object.values(JSON.parse(main.text).exec_order as Record<string, { type: string }[]>)
    for (const list of lists) {
      expect([list[0].type, list[list.length - 1].type]).toEqual(['MPIPE_PARAM_BROADCAST', 'MPIPE_GRAD_REDUCE'])
    }
    const types = lists.flat().map(step => step.type)
    const count = (type: string) => types.filter(other => other === type).length
    expect(count('MPIPE_GRAD_SEND')).toBe(count('MPIPE_GRAD_RECV_WITH_BACKWARD'))
    expect(count('MPIPE_GRAD_SEND')).toBeGreaterThan(0)
  })

  it.each([
    ['a rank 0 that encodes nothing', [[], [0]], /encodes no microbatch itself/],
    ['a microbatch without encode', [[0], []], /microbatch 1 has no encode/]
  ])('refuses %s', (_, owned, reason) => {
    const run = (kind: Run['kind'], stage: number, microbatch: number): Run => ({ op: 'run', kind, stage, microbatch })
    const M = owned.flat().length + (owned[0].length > 0 ? 1 : 0)
    const micro = [...Array(M).keys()]
    const ranks = [0, 1].map(rank => [
      ...owned[rank].map(m => run('E', -1, m)),
      ...micro.map(m => run('F', rank, m)),
      ...micro.map(m => run('B', rank, m))
    ])
    const result = hyperParallelWriter.write({ order: foreignOrder(ranks) })
    expect(result.ok ? '' : result.faults[0].message).toMatch(reason)
  })

  it('refuses a stage map that the runtime lacks', () => {
    const run = (kind: Run['kind'], stage: number): Run => ({ op: 'run', kind, stage, microbatch: 0 })
    const v = foreignOrder([
      [run('F', 0), run('F', 3), run('B', 3), run('B', 0)],
      [run('F', 1), run('F', 2), run('B', 2), run('B', 1)]
    ])
    const result = hyperParallelWriter.write({ order: v })
    expect(result.ok ? '' : result.faults[0].message).toMatch(/not loop/)
  })
})

describe.skipIf(!hasPython)('adapter module (needs python3)', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tropipe-adapter-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('parses, and feeds the order to a schedule class', () => {
    const names = ['frozen-3x4.exec-order.json', 'trained-3x4.exec-order.json']
    const documents = names.map((name, i) => {
      const [main, adapter] = filesOf(name)
      writeFileSync(join(folder, `order${i}.json`), main.text)
      writeFileSync(join(folder, `adapter${i}.py`), adapter.text)
      return JSON.parse(main.text)
    })
    writeFileSync(join(folder, 'check.py'), CHECK)
    const lines = execFileSync('python3', [join(folder, 'check.py')], { cwd: folder, encoding: 'utf8' })
      .trim()
      .split('\n')
    expect(lines.length).toBe(names.length)
    for (const [i, document] of documents.entries()) {
      const printed = JSON.parse(lines[i])
      expect(printed.order).toEqual(document.exec_order)
      expect(printed.owners).toEqual(document.owner_of_micro)
      expect(printed.environment).toBe(document.env.HYPER_PARALLEL_MPIPE_RECV_BATCH)
      expect(printed.owned.flat().sort()).toEqual(document.owner_of_micro.map((_: number, micro: number) => micro))
    }
  })
})

/** Stands in for the runtime: a schedule class that builds its own order first, a step class and two enums. */
const CHECK = `
import enum, importlib, json, os


class Step:
    def __init__(self, micro_index, type, stage_index, sub_steps=None):
        self.micro_index, self.type, self.stage_index, self.sub_steps = micro_index, type, stage_index, sub_steps


class Stage:
    stage_index = 1


class Stock:
    def __init__(self):
        self.stages = [Stage()]
        self.construct_exec_order()

    def construct_exec_order(self):
        self.exec_order = {}


for index in range(2):
    adapter = importlib.import_module(f"adapter{index}")
    path = f"order{index}.json"
    names = {step["type"] for steps in adapter.load(path)["exec_order"].values() for step in steps}
    core = enum.Enum("Core", sorted(name for name in names if not name.startswith("MPIPE")))
    extra = enum.Enum("Extra", sorted(name for name in names if name.startswith("MPIPE")))
    schedule = adapter.with_order(Stock, path, Step, (core, extra))()
    order = {str(rank): [{"type": s.type.name, "micro": s.micro_index, "stage": s.stage_index} for s in steps]
             for rank, steps in schedule.exec_order.items()}
    print(json.dumps({
        "order": order,
        "owners": [schedule.owner_of(m) for m in range(adapter.M)],
        "owned": [schedule.owned_micros(rank) for rank in range(adapter.P)],
        "environment": os.environ.get("HYPER_PARALLEL_MPIPE_RECV_BATCH"),
    }))
`
