import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../src/cli/commands/index.ts'
import { OPTIONS } from '../src/cli/options.ts'
import { instanceSchema } from '../src/instance/schema.ts'
import { ROOT } from './cli/run.ts'

function pagesIn(folder: string): string[] {
  return readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.md'))
    .map(path => join(folder, path))
}

const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pagesIn('docs'), ...pagesIn('bench')]
const textOf = (page: string) => readFileSync(resolve(ROOT, page), 'utf8')

/** Ids that headings get, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
  )
}

/** Command lines in blocks and between backticks, joined where a backslash breaks them. */
function commandsIn(text: string): string[] {
  const joined = text.replace(/\\\n\s*/g, '')
  const blocks = [...joined.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].flatMap(([, body]) => body.split('\n'))
  const inline = [...joined.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code)
  return [...blocks, ...inline]
    .map(line => line.trim().replace(/^npx /, ''))
    .filter(line => /^tropipe [a-z]/.test(line))
}

describe('the pages of the project', () => {
  it('link to files and headings that exist', () => {
    const broken: string[] = []
    let links = 0
    for (const page of PAGES) {
      const text = textOf(page).replace(/^```[\s\S]*?^```$/gm, '')
      for (const [, target] of text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
        links++
        const [path, anchor] = target.split('#')
        const file = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path))
        if (!existsSync(resolve(ROOT, file))) broken.push(`${page}: ${target}`)
        else if (anchor !== undefined && !anchorsOf(textOf(file)).includes(anchor)) broken.push(`${page}: ${target}`)
      }
    }
    expect(broken).toEqual([])
    expect(links).toBeGreaterThan(20)
  })

  it('name files of the repository that exist', () => {
    const missing: string[] = []
    let paths = 0
    for (const page of PAGES.filter(page => !page.startsWith('bench')))
      for (const [, path] of textOf(page).matchAll(
        /`((?:src|test|schema|examples|instances|scripts|docs)\/[\w./-]*\w)`/g
      )) {
        paths++
        if (!path.includes('NAME') && !existsSync(resolve(ROOT, path))) missing.push(`${page}: ${path}`)
      }
    expect(missing).toEqual([])
    expect(paths).toBeGreaterThan(20)
  })

  it('show commands and options that exist', async () => {
    const flags = new Map<string, string[]>()
    for (const { name, load } of COMMANDS) {
      const { options } = await load()
      flags.set(name, ['--help', ...options.map(key => `--${OPTIONS[key].flag}`)])
    }
    const wrong: string[] = []
    let shown = 0
    for (const page of PAGES)
      for (const line of commandsIn(textOf(page))) {
        shown++
        const [, name] = line.split(' ')
        const known = flags.get(name)
        const unknown = [...line.matchAll(/(?<=\s)--[a-z][a-z-]*/g)]
          .map(([flag]) => flag)
          .filter(f => !known?.includes(f))
        if (!known || unknown.length > 0) wrong.push(`${page}: ${line}`)
      }
    expect(wrong).toEqual([])
    expect(shown).toBeGreaterThan(60)
  })

  it('explain every key of an instance', () => {
    const page = textOf('docs/instance.md')
    const shape = instanceSchema.shape
    const keys = Object.keys(shape).filter(key => key !== 'format')
    expect(keys.length).toBeGreaterThan(10)
    expect(keys.filter(key => !new RegExp(`^\\| .*\`${key}[\`.[]`, 'm').test(page))).toEqual([])
  })
})
