import { fail } from '../base/fault.ts'
import type { CompareOptions } from '../compare/compare.ts'
import { optimumOfResult } from '../compare/optimum.ts'
import type { Axis } from '../compare/sweep/axes.ts'
import { pointText } from '../compare/sweep/axes.ts'
import { mergeRecords, parseStore, recordLine, type SweepRecord } from '../compare/sweep/record.ts'
import { runSweep, type SweepPlan, tasksOf } from '../compare/sweep/run.ts'
import { parseShard, type Shard } from '../compare/sweep/shard.ts'
import { htmlReport } from '../report/html/report.ts'
import { sweepReport } from '../report/html/sweep.ts'
import { sweepCsv, sweepMarkdown, sweepText } from '../report/text/sweep.ts'
import type { Family } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { appendTo, textOrNothing } from './files.ts'
import { type Io, printDocument } from './io.ts'
import { type SearchConfig, search } from './search.ts'

/** The options of a sweep, beside those of its comparisons. */
export type SweepConfig = SearchConfig & {
  readonly sweep: readonly Axis[] | undefined
  readonly shard: string | undefined
  readonly store: string | undefined
  readonly withoutOptimum: boolean
  readonly baseline: string | undefined
} & OutputConfig

/** How the merged records are printed. */
export type OutputConfig = {
  readonly format: 'table' | 'markdown' | 'csv'
  readonly json: boolean
  readonly html: string | undefined
  readonly output: string | undefined
}

/** Runs a sweep: results go to the store line by line, points that it already has are skipped. */
export async function sweep(
  io: Io,
  instances: readonly Measured[],
  families: readonly Family[],
  config: SweepConfig
): Promise<ExitCode> {
  const shard: Shard = config.shard === undefined ? { index: 0, count: 1 } : parseShard(config.shard, process.env)
  const plan: SweepPlan = {
    instances,
    axes: config.sweep ?? [],
    families,
    ...(config.baseline === undefined ? {} : { baseline: config.baseline }),
    settings: config.withoutOptimum ? 'heuristics' : settingsOf(config),
    shard
  }
  const path = config.store === undefined ? undefined : storePath(config.store, shard)
  if (shard.count > 1 && path === undefined)
    fail('NO_STORE', '--shard', config.shard, 'a shard needs a file for its results', 'Give --store FILE.jsonl.')
  const records = path === undefined ? [] : await loadStore(io, path)
  const signal = io.interruptible()
  const finished = await runSweep(plan, new Set(records.map(record => record.key)), {
    signal,
    ...(config.withoutOptimum
      ? {}
      : { optimum: measured => optimumOf(measured, { ...config, quiet: true }, io, signal) }),
    keep: async record => {
      records.push(record)
      if (path !== undefined) await appendTo(path, recordLine(record))
    },
    onProgress: (done, total, task) => {
      if (!config.quiet) showProgress(io, done, total, `${task.base.name} ${pointText(task.point)}`)
    }
  })
  if (!finished) {
    io.err(
      `stopped; ${path === undefined ? 'give --store FILE to be able to resume' : `run the same command again to resume from ${path}`}\n`
    )
    return EXIT.limit
  }
  const mine = new Set(tasksOf(plan).map(task => task.key))
  const merged = mergeRecords([records.filter(record => mine.has(record.key))])
  await printSweep(io, merged, config)
  return merged.some(record => (record.comparison?.contradictions.length ?? 0) > 0) ? EXIT.no : EXIT.done
}

/** Prints records as table, Markdown, CSV or JSON, and writes the page where asked. */
export async function printSweep(io: Io, records: readonly SweepRecord[], config: OutputConfig): Promise<void> {
  if (config.html !== undefined) {
    const name = records.find(record => record.comparison)?.comparison?.name.replace(/ [a-z]+=.*$/, '') ?? 'sweep'
    await io.write(config.html, htmlReport(sweepReport(`Sweep: ${name}`, records)))
  }
  if (config.json) return printDocument(io, { format: 'tropipe.sweep/1', records }, config.output)
  const text = {
    table: () => sweepText(records, io.style),
    markdown: () => sweepMarkdown(records),
    csv: () => sweepCsv(records)
  }[config.format]()
  if (config.output === undefined) io.out(text)
  else await io.write(config.output, text)
}

/** Reads a store; a torn last line is cut off, so that what is appended starts on a line of its own. */
async function loadStore(io: Io, path: string): Promise<SweepRecord[]> {
  const text = await textOrNothing(path)
  if (text === undefined) return []
  const { records, torn } = parseStore(text, path)
  if (torn) await io.write(path, text.slice(0, text.lastIndexOf('\n') + 1))
  return records
}

/** Shards of one sweep keep apart files: `results.jsonl` becomes `results.shard-2-of-4.jsonl`. */
function storePath(store: string, { index, count }: Shard): string {
  if (count === 1) return store
  const part = `.shard-${index + 1}-of-${count}`
  return /\.[^./\\]+$/.test(store) ? store.replace(/(\.[^./\\]+)$/, `${part}$1`) : store + part
}

/** What a result depends on beside the instance: never the number of threads or how it is shown. */
function settingsOf({ problem, solver, timeLimit, seed, deterministic }: SearchConfig): unknown {
  return { problem, solver, timeLimit, seed, deterministic }
}

async function optimumOf(
  measured: Measured,
  config: SearchConfig,
  io: Io,
  signal: AbortSignal
): Promise<CompareOptions['optimum']> {
  return optimumOfResult(await search(measured, config, { ...io, interruptible: () => signal }))
}

function showProgress(io: Io, done: number, total: number, what: string): void {
  const line = `${done}/${total}  ${what}`.trimEnd()
  if (io.rewritable) io.err(done === total ? '\r\u001b[K' : `\r\u001b[K${line.slice(0, io.style.columns - 1)}`)
  else io.err(`${line}\n`)
}
