import { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { FaultError } from '../../src/base/fault.ts'
import { exitOf } from '../../src/cli/commands/solve.ts'
import { endWith } from '../../src/cli/endings.ts'
import { jsonText } from '../../src/cli/json.ts'
import { ProgressLine, progressText } from '../../src/cli/progress.ts'
import { styleOf } from '../../src/cli/terminal.ts'
import { parseCount, parseDuration, parseNames } from '../../src/cli/values.ts'
import type { SolveResult } from '../../src/optimize/types.ts'
import { memoryIo } from './memory-io.ts'

const fault = { code: 'X', path: 'regions[0]', value: 'a\u001b[2J', message: 'is wrong', advice: 'Change it.' }

describe('endings', () => {
  it('faults are usage, told with path, value and advice, harmless to the terminal', async () => {
    const { io, stdout, stderr } = memoryIo()
    expect(await endWith(new FaultError([fault, { ...fault, code: 'Y' }]), io, false)).toBe(2)
    expect(stderr()).toMatchInlineSnapshot(`
      "2 faults:
      error: regions[0]: is wrong (got "a\\u001b[2J") [X]
        Change it.
      error: regions[0]: is wrong (got "a\\u001b[2J") [Y]
        Change it.
      "
    `)
    expect(stdout()).toBe('')
  })

  it('an internal fault is 70: a short message and how to report it, no stack', async () => {
    const { io, stderr } = memoryIo()
    expect(await endWith(new Error('boom\nmore'), io, false)).toBe(70)
    expect(stderr()).toMatch(/^internal fault: boom\n.*report.*\n$/)
    expect(stderr()).not.toContain('.ts:')
  })

  it('TROPIPE_DEBUG adds the stack', async () => {
    process.env.TROPIPE_DEBUG = '1'
    const { io, stderr } = memoryIo()
    await endWith(new Error('boom'), io, false)
    delete process.env.TROPIPE_DEBUG
    expect(stderr()).toContain('endings.test.ts:')
  })

  it('with --json every fault is one document on stdout', async () => {
    for (const error of [
      new FaultError([fault]),
      new Error('boom'),
      new CommanderError(1, 'x', "error: unknown option '--x'")
    ]) {
      const { io, stdout, stderr } = memoryIo()
      await endWith(error, io, true)
      expect(JSON.parse(stdout())).toMatchObject({
        format: 'tropipe.faults/1',
        faults: [{ code: expect.any(String) }]
      })
      expect(stderr()).toBe('')
    }
  })

  it('maps every status to its code', () => {
    const codeOf = (status: string, holds: boolean | 'not-applicable' = true) =>
      exitOf({ answer: { status }, crossCheck: { holds } } as unknown as SolveResult)
    expect(['optimal', 'feasible', 'infeasible', 'unknown'].map(status => codeOf(status))).toEqual([0, 0, 1, 3])
    expect(codeOf('optimal', false)).toBe(1)
    expect(codeOf('feasible', 'not-applicable')).toBe(0)
  })
})

describe('style', () => {
  const tty = { isTTY: true, columns: 132 }
  it('colour on terminals only, and never with NO_COLOR', () => {
    expect(styleOf(tty, {}).colour).toBe(true)
    expect(styleOf(tty, { NO_COLOR: '1' }).colour).toBe(false)
    expect(styleOf(tty, { NO_COLOR: '' }).colour).toBe(true)
    expect(styleOf(tty, { TERM: 'dumb' }).colour).toBe(false)
    expect(styleOf({}, {}).colour).toBe(false)
  })

  it('width of the terminal, else 100 or what COLUMNS asks for below that; never below 40', () => {
    expect(styleOf(tty, {}).columns).toBe(132)
    expect(styleOf({}, { COLUMNS: '90' }).columns).toBe(90)
    expect(styleOf({}, {}).columns).toBe(100)
    expect(styleOf({}, { COLUMNS: '240' }).columns).toBe(100)
    expect(styleOf({ isTTY: true, columns: 20 }, {}).columns).toBe(40)
  })

  it('ASCII where the locale is not UTF-8', () => {
    expect(styleOf(tty, { LANG: 'en_US.UTF-8' }).unicode).toBe(true)
    expect(styleOf(tty, {}).unicode).toBe(true)
    expect(styleOf(tty, { LC_ALL: 'C', LANG: 'en_US.UTF-8' }).unicode).toBe(false)
    expect(styleOf(tty, { TERM: 'linux' }).unicode).toBe(false)
  })
})

describe('progress', () => {
  const scale = { unit: 'us', ticksPerUnit: 1 }
  const state = { elapsedMs: 0, incumbent: 400, lowerBound: 352, by: 'insertion' }

  it('says incumbent, bound and gap', () => {
    expect(progressText(state, scale)).toBe('incumbent 400 us  bound 352 us  gap 12.0 %  (insertion)')
    expect(progressText({ ...state, incumbent: undefined }, scale)).toBe('no schedule yet  bound 352 us  (insertion)')
  })

  it('in a log: a line when something changed, at most one per second', () => {
    const { io, stderr } = memoryIo()
    const line = new ProgressLine(io, scale)
    for (let elapsedMs = 0; elapsedMs < 10_000; elapsedMs += 100)
      line.show({ ...state, elapsedMs, incumbent: elapsedMs < 5000 ? 400 : 390 })
    line.close()
    expect(stderr().split('\n')).toHaveLength(3)
    expect(stderr()).not.toContain('\r')
  })

  it('a state that came within the first second is told later', async () => {
    const { io, stderr } = memoryIo()
    const line = new ProgressLine(io, scale)
    line.show({ ...state, elapsedMs: 980, incumbent: 400 })
    expect(stderr()).toBe('')
    await new Promise(resolve => setTimeout(resolve, 60))
    line.again()
    expect(stderr()).toMatch(/^1\.\d s {2}incumbent 400/)
  })

  it('on a terminal: one line, rewritten, then removed', () => {
    const { io, stderr } = memoryIo({ rewritable: true })
    const line = new ProgressLine(io, scale)
    for (let elapsedMs = 0; elapsedMs < 1000; elapsedMs += 50) line.show({ ...state, elapsedMs })
    line.close()
    expect(stderr()).not.toContain('\n')
    expect(stderr().split('\r').length).toBeGreaterThan(5)
    expect(stderr().endsWith('\r\u001b[K')).toBe(true)
  })
})

describe('values and documents', () => {
  it('durations', () => {
    expect(['60s', '500ms', '2m', '1.5h', '7'].map(parseDuration)).toEqual([60_000, 500, 120_000, 5_400_000, 7000])
    for (const bad of ['', '-1s', '0', 'soon', '1d', 'Infinity']) expect(() => parseDuration(bad)).toThrow()
  })

  it('counts and names', () => {
    expect(parseCount(1)('12')).toBe(12)
    for (const bad of ['0', '-1', '1.5', '1e3', 'x', '99999999999999999999']) expect(() => parseCount(1)(bad)).toThrow()
    expect(parseNames('a, b,a')).toEqual(['a', 'b'])
    expect(() => parseNames('a,,b')).toThrow()
  })

  it('JSON keeps its meaning and puts short things on one line', () => {
    const value = {
      list: Array.from({ length: 80 }, (_, i) => i),
      event: { kind: 'F', start: 1 },
      none: undefined,
      empty: [],
      deep: [{ a: 'x'.repeat(200) }]
    }
    expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)))
    expect(jsonText(value)).toContain('"event": { "kind": "F", "start": 1 }')
    expect(
      jsonText(value)
        .split('\n')
        .some(line => line.includes('78, 79]'))
    ).toBe(true)
  })
})
