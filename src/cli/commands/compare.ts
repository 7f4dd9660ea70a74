import { fail } from '../../base/fault.ts'
import { didYouMean } from '../../base/suggest.ts'
import { line } from '../../base/wrap.ts'
import { type CompareOptions, type Comparison, compareSketches, type Sketched } from '../../compare/compare.ts'
import { optimumOfResult } from '../../compare/optimum.ts'
import { FAMILIES, familyById } from '../../heuristics/index.ts'
import { comparisonCsv, comparisonMarkdown, comparisonText } from '../../report/text/comparison.ts'
import { drawsText } from '../../report/text/draws.ts'
import type { Style } from '../../report/text/style.ts'
import { verdictSentences } from '../../report/text/verdict.ts'
import type { Family } from '../../schedule/family.ts'
import type { Measured } from '../../schedule/measured.ts'
import { defineCommand } from '../command.ts'
import { type Runnable, writePage } from '../comparison-page.ts'
import { drawComparison, readDraws } from '../draws.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { loadInstanceOf } from '../inputs.ts'
import { type Io, printDocument } from '../io.ts'
import { type SearchConfig, search } from '../search.ts'
import { sweep } from '../sweep-run.ts'

/** `tropipe compare`: families against each other and against the optimum. */
export const compare = defineCommand({
  details: `Families: ${FAMILIES.map(family => family.id).join(', ')}. Every schedule in the table has passed the independent checker, or says why not. After the table: how much faster the optimum is than what you run (--baseline, else inline or 1f1b), whether that is proven, and, with --html, the file to run it.`,
  options: [
    'families',
    'baseline',
    'format',
    'html',
    'sweep',
    'shard',
    'store',
    'withoutOptimum',
    'draws',
    'problem',
    'solver',
    'timeLimit',
    'seed',
    'threads',
    'deterministic',
    'quiet',
    'json',
    'output'
  ],
  examples: [
    'tropipe compare instances/smoke/frozen-4x8-e6.yaml',
    'tropipe compare instances/paper/*.yaml --baseline inline --format markdown',
    'tropipe compare modelled.yaml --draws 50 --time-limit 2m',
    'tropipe compare instances/smoke/frozen-4x8-e6.yaml --html report.html',
    'tropipe compare instances/smoke/frozen-4x8-e6.yaml --sweep ranks=2..8 --sweep encoder=0.1..4 --without-optimum --store results.jsonl'
  ],
  idle: ({ options }) => [
    ...(options.draws === undefined
      ? []
      : [
          {
            options: ['html', 'sweep', 'shard', 'store', 'baseline', 'format'] as const,
            why: '--draws has its own table'
          }
        ]),
    ...(options.json ? [{ options: ['format'] as const, why: '--json prints the document' }] : [])
  ],
  run: async ({ operands, options, io }) => {
    const families = options.families?.map(id => familyNamed(id, '--families')) ?? FAMILIES
    if (options.baseline !== undefined) familyNamed(options.baseline, '--baseline')
    if (options.draws !== undefined) return drawn(operands, options.draws, families, options, io)
    const baseline = options.baseline === undefined ? {} : { baseline: options.baseline }
    if (options.sweep || options.shard !== undefined || options.store !== undefined) {
      const instances: Measured[] = []
      for (const path of operands) instances.push((await loadInstanceOf(io, path, operands)).measured)
      return sweep(io, instances, families, options)
    }
    if (options.html !== undefined && operands.length > 1)
      fail('ONE_INSTANCE', '--html', operands.length, 'a page shows one instance', 'Give one FILE with --html.')
    if (options.html !== undefined) await io.checkOutput(options.html)
    const compared: Sketched[] = []
    for (const path of operands) {
      const { measured } = await loadInstanceOf(io, path, operands)
      const optimum = options.withoutOptimum ? {} : { optimum: await optimumOf(measured, options, io) }
      const one = compareSketches(measured, { families, ...baseline, ...optimum })
      if (options.baseline !== undefined && one.comparison.baseline !== options.baseline)
        io.err(
          `note: ${path}: ${options.baseline} is not among what is compared; speedups refer to ${one.comparison.baseline}\n`
        )
      compared.push(one)
    }
    const comparisons = compared.map(one => one.comparison)
    const written = options.html === undefined ? undefined : await writePage(io, options.html, compared[0])
    if (options.json) await printDocument(io, documentOf(comparisons), options.output)
    else {
      const text = textOf(comparisons, options.format, io.style)
      const verdicts = options.format === 'csv' ? '' : verdictText(comparisons, written, io.style)
      if (options.output === undefined) io.out(text + verdicts)
      else await io.write(options.output, text + verdicts)
    }
    return comparisons.every(comparison => comparison.contradictions.length === 0) ? EXIT.done : EXIT.no
  }
})

/** Families over many draws of each instance. */
async function drawn(
  paths: readonly string[],
  count: number,
  families: readonly Family[],
  options: DrawOptions,
  io: Io
): Promise<ExitCode> {
  const documents = []
  for (const path of paths)
    documents.push(await drawComparison(await readDraws(path, options.seed, count, io), families, options, io))
  if (options.json)
    await printDocument(
      io,
      documents.length === 1 ? documents[0] : { format: 'tropipe.draws/1', comparisons: documents },
      options.output
    )
  else {
    const text = documents.map(document => drawsText(document, io.style)).join('\n')
    if (options.output === undefined) io.out(text)
    else await io.write(options.output, text)
  }
  return EXIT.done
}

type DrawOptions = SearchConfig & {
  readonly withoutOptimum: boolean
  readonly json: boolean
  readonly output: string | undefined
}

/** Searches the optimum that the rows are measured against. */
async function optimumOf(
  measured: Measured,
  options: SearchConfig,
  io: Io
): Promise<NonNullable<CompareOptions['optimum']>> {
  return optimumOfResult(await search(measured, options, io))
}

function familyNamed(id: string, path: string): Family {
  const known = FAMILIES.map(family => family.id)
  return familyById(id) ?? fail('UNKNOWN_FAMILY', path, id, `there is no family "${id}"`, didYouMean(id, known))
}

const HINT = 'For the file to run it, and a page with every schedule drawn, add --html report.html.'

/** What the comparisons come to, after the tables. */
function verdictText(comparisons: readonly Comparison[], written: Runnable | undefined, style: Style): string {
  const blocks = comparisons.map(comparison =>
    [
      ...verdictSentences(comparison, written?.files, written?.refused),
      ...(written === undefined && comparison.optimum?.makespan !== undefined ? [HINT] : [])
    ]
      .map(sentence => line(sentence, style.columns))
      .join('')
  )
  return blocks
    .filter(Boolean)
    .map(block => `\n${block}`)
    .join('')
}

function documentOf(comparisons: readonly Comparison[]): unknown {
  return comparisons.length === 1 ? comparisons[0] : { format: 'tropipe.comparisons/1', comparisons }
}

function textOf(comparisons: readonly Comparison[], format: 'table' | 'markdown' | 'csv', style: Style): string {
  switch (format) {
    case 'table':
      return comparisons.map(comparison => comparisonText(comparison, style)).join('\n')
    case 'markdown':
      return comparisons.map(comparisonMarkdown).join('\n')
    case 'csv':
      return comparisonCsv(comparisons)
  }
}
