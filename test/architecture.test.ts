import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Which rooms each room may import from, beside itself (docs in CONTRIBUTING.md). `base` may be imported by all. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  base: [],
  algebra: [],
  hardware: [],
  schedule: ['algebra', 'hardware'],
  instance: ['algebra', 'hardware', 'schedule'],
  model: ['algebra', 'hardware', 'schedule', 'instance', 'encoding', 'host'],
  verify: ['algebra', 'hardware', 'schedule'],
  bounds: ['algebra', 'hardware', 'schedule'],
  heuristics: ['algebra', 'hardware', 'schedule'],
  encoding: ['algebra', 'hardware', 'schedule'],
  solvers: ['encoding', 'host'],
  optimize: [
    'algebra',
    'hardware',
    'schedule',
    'instance',
    'model',
    'verify',
    'bounds',
    'heuristics',
    'encoding',
    'solvers',
    'host'
  ],
  prove: [
    'algebra',
    'hardware',
    'schedule',
    'instance',
    'model',
    'verify',
    'bounds',
    'heuristics',
    'encoding',
    'solvers',
    'optimize',
    'host',
    'formats'
  ],
  compare: [
    'algebra',
    'hardware',
    'schedule',
    'instance',
    'model',
    'verify',
    'bounds',
    'heuristics',
    'encoding',
    'solvers',
    'optimize',
    'host'
  ],
  formats: ['algebra', 'hardware', 'schedule'],
  report: ['algebra', 'hardware', 'schedule'],
  host: ['solvers'],
  cli: ['*'],
  index: ['*']
}

/** What single rooms must not touch although the table would let them. */
const FORBIDDEN_FILES: readonly { readonly room: string; readonly target: RegExp; readonly why: string }[] = [
  {
    room: 'verify',
    target: /schedule\/(evaluate|build|costs|memory|body)\.ts$/,
    why: 'the checker restates every rule'
  },
  { room: 'solvers', target: /encoding\/(?!model\/|text\/)/, why: 'backends know nothing of pipelines' },
  { room: 'solvers', target: /host\/(?!port\.ts)/, why: 'backends see the port only' }
]

/** Node built-ins are for these rooms only. */
const NODE_ROOMS = ['host', 'cli']

const root = resolve(import.meta.dirname, '../src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'))
const roomOf = (file: string) => (file.includes('/') ? file.split('/')[0] : file.replace(/\.ts$/, ''))

type Import = { readonly file: string; readonly specifier: string; readonly target?: string }

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)
  return [...found].map(([, specifier]) => {
    if (!specifier.startsWith('.')) return { file, specifier }
    return { file, specifier, target: relative(root, resolve(root, dirname(file), specifier)) }
  })
}

const imports = files.flatMap(importsOf)

describe('architecture', () => {
  it('scans real files', () => {
    expect(files.length).toBeGreaterThan(15)
    expect(imports.length).toBeGreaterThan(30)
  })

  it('knows every room', () => {
    expect([...new Set(files.map(roomOf))].filter(room => !(room in ALLOWED))).toEqual([])
  })

  it('imports go one way', () => {
    const wrong = imports.filter(({ file, target }) => {
      if (!target) return false
      const [from, to] = [roomOf(file), roomOf(target)]
      return from !== to && to !== 'base' && !ALLOWED[from].includes('*') && !ALLOWED[from].includes(to)
    })
    expect(wrong).toEqual([])
  })

  it('rooms leave alone what is closed to them', () => {
    const wrong = imports.filter(({ file, target }) =>
      FORBIDDEN_FILES.some(
        rule => target && roomOf(file) === rule.room && roomOf(target) !== rule.room && rule.target.test(target)
      )
    )
    expect(wrong).toEqual([])
  })

  it('only host and cli touch Node', () => {
    const wrong = imports.filter(
      ({ file, specifier }) => specifier.startsWith('node:') && !NODE_ROOMS.includes(roomOf(file))
    )
    expect(wrong).toEqual([])
  })

  it('has no import cycle', () => {
    const edges = new Map<string, string[]>()
    for (const { file, target } of imports) if (target) edges.set(file, [...(edges.get(file) ?? []), target])
    expect(findCycle(edges)).toEqual([])
  })
})

function findCycle(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const visit = (file: string): string[] => {
    if (state.get(file) === 'done') return []
    if (state.get(file) === 'open') return [...path.slice(path.indexOf(file)), file]
    state.set(file, 'open')
    path.push(file)
    for (const next of edges.get(file) ?? []) {
      const cycle = visit(next)
      if (cycle.length > 0) return cycle
    }
    path.pop()
    state.set(file, 'done')
    return []
  }
  for (const file of edges.keys()) {
    const cycle = visit(file)
    if (cycle.length > 0) return cycle
  }
  return []
}
