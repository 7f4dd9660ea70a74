import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { nodeHost } from '../src/host/node/index.ts'
import {
  BACKENDS,
  backendVersion,
  type Measured,
  optimize,
  parseInstance,
  releaseSolvers,
  type SolveOptions
} from '../src/index.ts'
import {
  type Drawn,
  drawnDocument,
  load,
  type Published,
  publishedDocument,
  type ZeroBubble,
  zeroBubbleDocument
} from './instances.ts'
import { measureUnit, type Unit } from './unit.ts'

/** One line of the report. `units` is the time in longest-path passes over the 64 x 512 graph. */
type Row = {
  readonly suite: string
  readonly name: string
  readonly status: string
  readonly makespan?: number
  readonly lowerBound?: number
  readonly gapPercent?: number
  readonly ms: number
  readonly units: number
  readonly by?: string
  readonly note?: string
  /** What we miss of what was asked; absent where nothing. */
  readonly lost?: string
}

const root = resolve(import.meta.dirname, '..')
/** HiGHS as a user would start it: on the plain slot model, and on ours. */
const PEERS = { plain: 'dist/bin/bench-highs-plain.js', slots: 'dist/bin/bench-highs-slots.js' }
const suite = JSON.parse(readFileSync(join(root, 'bench/suite.json'), 'utf8'))
const only = process.argv.slice(2)
const host = nodeHost()
const rows: Row[] = []
const wanted = (name: string) => only.length === 0 || only.includes(name)
const empty = {
  ranks: 64,
  microbatches: 512,
  forward: 100,
  backward: 200,
  lag: 1,
  encoder: [0, 0],
  trainable: false,
  name: 'unit',
  seeds: []
} as const

const unit = measureUnit(load(drawnDocument(empty, 1)))
if (wanted('placement')) {
  for (const row of suite.placement as Drawn[]) for (const seed of row.seeds) await placement(row, seed)
  for (const kind of ['frozen', 'trainable']) growth(kind)
  memory()
}
if (wanted('versus')) await bundlePeers()
if (wanted('versus')) for (const row of suite.versus as Drawn[]) for (const seed of row.seeds) versus(row, seed)
if (wanted('zero-bubble')) for (const row of suite.zeroBubble as ZeroBubble[]) await zeroBubble(row)
if (wanted('iclr'))
  for (const row of suite.iclr as Published[]) for (const memory of ['1p', '2p'] as const) await published(row, memory)
if (wanted('joint')) for (const row of suite.joint as Drawn[]) for (const seed of row.seeds) await joint(row, seed)
if (wanted('reconstruction')) for (const row of suite.reconstruction) await reconstruction(row)
await report(unit)
await releaseSolvers(host)
process.exit(0)

async function solved(
  suiteName: string,
  name: string,
  measured: Measured,
  options: Partial<SolveOptions>,
  judge: (row: Row) => string | undefined
) {
  const from = performance.now()
  const { answer, solver } = await optimize(measured, options, host)
  const ms = performance.now() - from
  const { lowerBound } = answer.certificate
  const found =
    'value' in answer
      ? {
          makespan: answer.value,
          gapPercent: answer.value === 0 ? 0 : (100 * (answer.value - lowerBound)) / answer.value
        }
      : {}
  push(
    {
      suite: suiteName,
      name,
      status: answer.status,
      ...found,
      lowerBound,
      ms,
      units: ms / unit.unitMs,
      by: solver.name
    },
    judge
  )
}

function push(row: Row, judge: (row: Row) => string | undefined): void {
  const lost = judge(row)
  const judged = lost ? { ...row, lost } : row
  rows.push(judged)
  const gap = row.gapPercent === undefined ? '' : ` gap ${row.gapPercent.toFixed(3)} %`
  console.error(
    `${row.suite} ${row.name}: ${row.status} ${row.makespan ?? ''}${gap} ${Math.round(row.ms)} ms ${Math.round(row.units)} units ${lost ? `LOST: ${lost}` : ''}`
  )
}

async function placement(row: Drawn, seed: number): Promise<void> {
  const large = row.ranks >= 64
  // The time that 2,000 units are, so that the search cannot buy quality with more.
  const timeLimitMs = large ? Math.max(3_000, 2_000 * unit.unitMs) : 20_000
  await solved('placement', `${row.name}-seed${seed}`, load(drawnDocument(row, seed)), { timeLimitMs }, result =>
    (result.gapPercent ?? 100) > 1
      ? 'gap above 1 %'
      : large && result.units > 2_000
        ? 'more than 2,000 units'
        : undefined
  )
}

/** Time of the largest placements over that of 32 times fewer events: the medians of their rows. */
function growth(kind: string): void {
  const median = (size: string) => {
    const times = rows.filter(row => row.name.startsWith(`${kind}-${size}-`)).map(row => row.ms)
    return times.sort((a, b) => a - b)[times.length >> 1]
  }
  const [small, large] = [median('16x64'), median('64x512')]
  const ratio = large / small
  push(
    {
      suite: 'growth',
      name: `${kind} 16x64 to 64x512`,
      status: `${ratio.toFixed(1)}x`,
      ms: large,
      units: large / unit.unitMs,
      note: `${kind}: ${Math.round(small)} ms to ${Math.round(large)} ms for 32x the events`
    },
    () => (ratio > 64 ? 'more than 64x the time' : undefined)
  )
}

/** The most memory that this process has held, all placements one after the other. */
function memory(): void {
  const bytes = process.resourceUsage().maxRSS * 1024
  const status = `${(bytes / 2 ** 20).toFixed(0)} MiB`
  push({ suite: 'memory', name: 'peak of all placements', status, ms: 0, units: 0 }, () =>
    bytes > 2e9 ? 'more than 2 GB' : undefined
  )
}

/** The peers start as we do, each from one file of JavaScript: no TypeScript is compiled on their time. */
async function bundlePeers(): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: { 'bench-highs-plain': 'bench/highs-plain.ts', 'bench-highs-slots': 'bench/highs-slots.ts' },
    outdir: 'dist/bin',
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['glpk.js', 'highs', 'javascript-lp-solver', 'or-tools-wasm', 'z3-solver'],
    banner: { js: "import{createRequire as peerRequire}from'node:module';const require=peerRequire(import.meta.url);" }
  })
}

/** Whole processes against each other on one file. */
function versus(row: Drawn, seed: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'tropipe-bench-'))
  const file = join(folder, 'instance.json')
  writeFileSync(file, JSON.stringify(drawnDocument(row, seed)))
  const timed = (args: string[]) => {
    const from = performance.now()
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    return { ms: performance.now() - from, answer: JSON.parse(stdout) }
  }
  const ours = timed(['bin/tropipe.js', 'solve', file, '--json', '--quiet'])
  const plain = timed([PEERS.plain, file])
  const serial = timed([PEERS.slots, file, 'serial'])
  const tight = timed([PEERS.slots, file, String(ours.answer.makespan)])
  rmSync(folder, { recursive: true, force: true })
  const told = (name: string, { ms, answer }: typeof plain) =>
    `${name} ${answer.makespan} in ${Math.round(ms)} ms (${(ms / ours.ms).toFixed(1)}x ours)`
  const note = `HiGHS on ${[told('the plain slot model', plain), told('our slot model', serial), told('ours, tightened to the optimum', tight)].join(', ')}`
  const { status, makespan, lowerBound } = ours.answer
  push(
    {
      suite: 'versus',
      name: `${row.name}-seed${seed}`,
      status,
      makespan,
      lowerBound,
      ms: ours.ms,
      units: ours.ms / unit.unitMs,
      note
    },
    () =>
      makespan !== plain.answer.makespan
        ? 'another optimum than HiGHS'
        : plain.ms < 10 * ours.ms
          ? 'less than 10x faster than HiGHS'
          : undefined
  )
}

async function zeroBubble(row: ZeroBubble): Promise<void> {
  const name = `p${row.ranks} m${row.microbatches} ${row.costs.join('/')} cap ${row.inFlight}`
  await solved(
    'zero-bubble',
    name,
    load(zeroBubbleDocument(row)),
    { problem: 'joint', timeLimitMs: 60_000 },
    ({ status, makespan = Number.POSITIVE_INFINITY }) => {
      if (status === 'optimal' && makespan !== row.optimum)
        throw new Error(`${name}: ${makespan} called optimal, the optimum is ${row.optimum}`)
      return makespan > row.published
        ? 'worse than published'
        : status === 'optimal'
          ? undefined
          : `not proved (optimum ${row.optimum})`
    }
  )
}

/** Published makespans are known as bubble ratios of four digits: ours may not be larger in those. */
async function published(row: Published, memory: '1p' | '2p'): Promise<void> {
  const [forward, input, weight] = row.costs
  const work = row.microbatches * (forward + input + weight)
  await solved(
    'iclr',
    `${row.model} p${row.ranks} m${row.microbatches} ${memory}`,
    load(publishedDocument(row, memory)),
    { problem: 'joint', timeLimitMs: 60_000 },
    ({ makespan = Number.POSITIVE_INFINITY }) => {
      const bubble = Number(((makespan - work) / makespan).toFixed(4))
      return bubble > row.publishedBubbles[memory]
        ? `bubble ${bubble}, published ${row.publishedBubbles[memory]}`
        : undefined
    }
  )
}

async function joint(row: Drawn, seed: number): Promise<void> {
  await solved(
    'joint',
    `${row.name}-seed${seed}`,
    load(drawnDocument(row, seed)),
    { problem: 'joint', timeLimitMs: 60_000 },
    ({ status, gapPercent = 100 }) =>
      status === 'optimal' ? undefined : gapPercent > 3 ? 'gap above 3 %' : 'not proved'
  )
}

async function reconstruction(row: { file: string; annealed: number }): Promise<void> {
  const parsed = parseInstance(readFileSync(join(root, row.file), 'utf8'), 'yaml')
  if (!parsed.ok) throw new Error(row.file)
  await solved(
    'reconstruction',
    row.file,
    parsed.measured,
    { timeLimitMs: 60_000 },
    ({ makespan = Number.POSITIVE_INFINITY, gapPercent = 100 }) =>
      makespan > row.annealed ? 'above the annealed order' : gapPercent > 2.5 ? 'gap above 2.5 %' : undefined
  )
}

async function report({ unitMs, evaluatorMs }: Unit): Promise<void> {
  const engines = await Promise.all(
    BACKENDS.map(
      async ({ id }) => `${id}: ${(await backendVersion(host, id).catch(() => undefined))?.version ?? 'not installed'}`
    )
  )
  const machine = `${cpus().length} x ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
  const date = new Date().toISOString()
  const lines = [
    `# Benchmark of ${date.slice(0, 10)}`,
    '',
    `Machine: ${machine}. Solvers: ${engines.join('; ')}.`,
    `One unit: a longest-path pass over typed arrays of the 64 x 512 body, ${unitMs.toFixed(2)} ms in this run; our evaluator takes ${(evaluatorMs / unitMs).toFixed(1)} units.`,
    ''
  ]
  for (const name of [...new Set(rows.map(row => row.suite))])
    lines.push(
      ...section(
        name,
        rows.filter(row => row.suite === name)
      )
    )
  mkdirSync(join(root, 'bench/results'), { recursive: true })
  const stem = join(root, 'bench/results', `${date.slice(0, 10)}${only.length > 0 ? `-${only.join('-')}` : ''}`)
  writeFileSync(`${stem}.md`, `${lines.join('\n')}\n`)
  writeFileSync(`${stem}.json`, `${JSON.stringify({ date, machine, engines, unitMs, evaluatorMs, rows }, null, 2)}\n`)
  console.log(lines.join('\n'))
}

function section(name: string, own: readonly Row[]): string[] {
  const proved = own.filter(row => row.status === 'optimal').length
  const lost = own.filter(row => row.lost)
  return [
    `## ${name}: ${own.length} instances, ${proved} proved optimal, ${lost.length} lost`,
    '',
    '| instance | status | makespan | lower bound | gap % | ms | units | found by | lost |',
    '|---|---|---|---|---|---|---|---|---|',
    ...own.map(row =>
      [
        '',
        row.name,
        row.status,
        row.makespan ?? '',
        row.lowerBound ?? '',
        row.gapPercent?.toFixed(3) ?? '',
        Math.round(row.ms),
        Math.round(row.units),
        row.by ?? '',
        row.lost ?? '',
        ''
      ]
        .join(' | ')
        .trim()
    ),
    '',
    ...own.filter(row => row.note).map(row => `- ${row.name}: ${row.note}`),
    ''
  ]
}
