import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { OPTIONS, type OptionSpec } from '../../src/cli/options.ts'
import { optionOf } from '../../src/cli/program.ts'
import { cliReference } from '../../src/cli/reference.ts'
import { ROOT } from './run.ts'

const commands = await Promise.all(COMMANDS.map(async listed => ({ ...listed, ...(await listed.load()) })))

describe('option table and commands', () => {
  it('docs/cli.md is the generated one (`npm run docs` writes it)', async () => {
    expect(readFileSync(resolve(ROOT, 'docs/cli.md'), 'utf8')).toBe(await cliReference(COMMANDS))
  })

  it('every option is taken by some command, and flags are unique within each', () => {
    const taken = new Set(commands.flatMap(command => command.options))
    expect(Object.keys(OPTIONS).filter(key => !taken.has(key as keyof typeof OPTIONS))).toEqual([])
    for (const { options } of commands) {
      const flags = options.flatMap(key => [OPTIONS[key].flag, OPTIONS[key].short]).filter(flag => flag !== undefined)
      expect(new Set(flags).size).toBe(flags.length)
    }
  })

  it('fallbacks are among the choices', () => {
    for (const spec of Object.values(OPTIONS) as OptionSpec<unknown>[]) {
      optionOf(spec)
      if (spec.choices && spec.fallback !== undefined) expect(spec.choices).toContain(spec.fallback)
    }
  })

  it('examples begin with their command and name files that exist', () => {
    for (const { name, examples } of commands) {
      expect(examples.length).toBeGreaterThan(0)
      for (const example of examples) {
        expect(example).toMatch(new RegExp(`^tropipe ${name}\\b`))
        for (const [path] of example.matchAll(/instances\/[\w/.-]+\.(yaml|json)/g))
          expect(existsSync(resolve(ROOT, path))).toBe(true)
      }
    }
  })
})
