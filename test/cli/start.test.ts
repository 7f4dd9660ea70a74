import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ROOT } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'tropipe-start-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The modules that a command line loads: own files by room, packages by name. */
function loadsOf(args: readonly string[]): readonly string[] {
  const list = join(folder, 'loads.txt')
  writeFileSync(list, '')
  const recorder = resolve(ROOT, 'test/support/record-loads.js')
  execFileSync(process.execPath, ['--import', recorder, resolve(ROOT, 'dist/cli/main.js'), ...args], {
    cwd: ROOT,
    env: { ...process.env, TROPIPE_LOADS: list },
    stdio: 'pipe'
  })
  const urls = readFileSync(list, 'utf8').trim().split('\n')
  return urls.map(url => url.replace(/^.*\/node_modules\//, 'package ').replace(/^.*\/dist\//, ''))
}

const INSTANCE = {
  format: 'tropipe.instance/1',
  name: 'small',
  ranks: 2,
  microbatches: 4,
  schedule: '<transpose, 1f1b>',
  regions: [
    { name: 'vision', trainable: false, stages: [{ forward: [6, 9, 0, 7], backward: 0 }] },
    { name: 'llm', trainable: true, stages: Array.from({ length: 2 }, () => ({ forward: 10, backward: 20 })) }
  ]
}

/** What only some runs need: it must not weigh on the start of the others. */
const SELDOM =
  /^package (?!zod|commander|@noble|fastest-levenshtein|picocolors)|^report\/(html|svg|charts)|^solvers\/\w+\/(backend|run|translate)|^model\/|^prove\/|^compare\/(?!sweep\/axes)|^formats\/|^node:(child_process|zlib)/

describe('what a process loads', () => {
  it('help and version: the option table, no schema and no search', () => {
    for (const args of [['--version'], ['--help']]) {
      const loads = loadsOf(args)
      expect(loads).toContain('cli/options.js')
      expect(loads.filter(path => SELDOM.test(path))).toEqual([])
      expect(loads.filter(path => /^package zod|^(schedule|verify|bounds|heuristics|encoding)\//.test(path))).toEqual(
        []
      )
      expect(loads.length).toBeLessThan(70)
    }
  })

  it('a solve that the bound settles: neither the other commands nor solvers, formats, charts, YAML', () => {
    const instance = join(folder, 'instance.json')
    writeFileSync(instance, JSON.stringify(INSTANCE))
    const loads = loadsOf(['solve', instance, '--json', '--quiet'])
    expect(loads).toContain('optimize/optimize.js')
    expect(loads).toContain('cli/commands/solve.js')
    expect(loads.filter(path => path.startsWith('cli/commands/')).sort()).toEqual([
      'cli/commands/index.js',
      'cli/commands/solve.js'
    ])
    expect(loads.filter(path => SELDOM.test(path))).toEqual([])
  })

  it('the bundle has all of it in few files, and the licences of what it carries', () => {
    const bin = resolve(ROOT, 'dist/bin')
    const files = readdirSync(bin).filter(file => file.endsWith('.js'))
    expect(files.length).toBeLessThan(70)
    expect(files.some(file => file.startsWith('solve-'))).toBe(true)
    expect(Math.max(...files.map(file => statSync(join(bin, file)).size))).toBeLessThan(400_000)
    expect(readFileSync(join(bin, 'LICENSES.txt'), 'utf8')).toMatch(/^zod \S+ \(MIT\)$/m)
  })
})
