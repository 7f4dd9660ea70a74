import { fail } from '../../base/fault.ts'
import { type CompareOptions, type Comparison, compareFamilies } from '../../compare/compare.ts'
import { FAMILIES, familyById } from '../../heuristics/index.ts'
import { comparisonCsv, comparisonMarkdown, comparisonText } from '../../report/text/comparison.ts'
import type { Style } from '../../report/text/style.ts'
import type { Family } from '../../schedule/family.ts'
import type { Measured } from '../../schedule/measured.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit.ts'
import { loadInstance } from '../inputs.ts'
import { type Io, printDocument } from '../io.ts'
import { type SearchConfig, search } from '../search.ts'

/** `tropipe compare`: families against each other and against the optimum. */
export const compare = defineCommand({
  name: 'compare',
  summary: 'compare heuristics of the field with each other and with the optimum',
  details: `Families: ${FAMILIES.map(family => family.id).join(', ')}. Every schedule in the table has passed the independent checker, or says why not.`,
  operands: [{ name: 'FILE', help: 'instances (JSON or YAML; - reads stdin)', many: true }],
  options: [
    'families',
    'baseline',
    'format',
    'withoutOptimum',
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
    'tropipe compare instances/paper/*.yaml --baseline inline --format markdown'
  ],
  run: async ({ operands, options, io }) => {
    const families = options.families?.map(id => familyNamed(id, '--families')) ?? FAMILIES
    if (options.baseline !== undefined) familyNamed(options.baseline, '--baseline')
    const baseline = options.baseline === undefined ? {} : { baseline: options.baseline }
    const comparisons: Comparison[] = []
    for (const path of operands) {
      const { measured } = await loadInstance(io, path)
      const optimum = options.withoutOptimum ? {} : { optimum: await optimumOf(measured, options, io) }
      comparisons.push(compareFamilies(measured, { families, ...baseline, ...optimum }))
    }
    if (options.json) await printDocument(io, documentOf(comparisons), options.output)
    else {
      const text = textOf(comparisons, options.format, io.style)
      if (options.output === undefined) io.out(text)
      else await io.write(options.output, text)
    }
    return comparisons.every(comparison => comparison.contradictions.length === 0) ? EXIT.done : EXIT.no
  }
})

/** Searches the optimum that the rows are measured against. */
async function optimumOf(
  measured: Measured,
  options: SearchConfig,
  io: Io
): Promise<NonNullable<CompareOptions['optimum']>> {
  const { problem, answer } = await search(measured, options, io)
  const { lowerBound } = answer.certificate
  if (!('point' in answer)) return { status: answer.status, lowerBound, problem }
  const { makespan, document } = answer.point
  return { status: answer.status, makespan, lowerBound, problem, schedule: document }
}

function familyNamed(id: string, path: string): Family {
  const known = FAMILIES.map(family => family.id)
  return (
    familyById(id) ?? fail('UNKNOWN_FAMILY', path, id, 'there is no such family', `Use some of ${known.join(', ')}.`)
  )
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
