import type { NamedTerms, SymbolicMakespan } from '../../algebra/maxplus/closed-form.ts'
import type { GeneralForm } from '../../algebra/maxplus/general.ts'
import { printTerm } from '../../algebra/maxplus/polynomial.ts'
import { causeOf, type Fraction, type Regime, type TermCause } from '../../algebra/maxplus/regimes.ts'
import { line, wrap } from '../../base/wrap.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** A closed form for people: every term with durations under which it alone is the makespan. */
export function closedFormText(
  head: string,
  form: SymbolicMakespan,
  general: GeneralForm | undefined,
  style: Style
): string {
  const rows = form.terms.map(({ term, witness }) => [
    printTerm(term, form.names),
    form.names.flatMap((name, index) => (witness[index] > 0n ? [`${name}=${witness[index]}`] : [])).join(' ') || 'all 0'
  ])
  const names = form.names.map(name => `${name} ${form.meaning[name]}`).join('; ')
  const always = general && `In general${general.given ? ` (${general.given})` : ''}: ${general.formula}.`
  const count = form.terms.length === 1 ? 'this sum' : `the largest of ${form.terms.length} sums`
  return [
    `${line(head, style.columns)}The makespan is ${count}:\n${grid(['term', 'rules alone for example at (all others 0)'], rows, style)}`,
    ...(always ? [`${wrap(always, style.columns)}\n`] : []),
    `${wrap(`Names: ${names}.`, style.columns)}\n`
  ].join('\n')
}

/** Where an instance stands among the terms of its closed form. */
export type RegimesView = {
  readonly head: string
  readonly form: NamedTerms
  readonly owners: readonly number[]
  /** `next`: how the second longest term compares, in words. */
  readonly ruling: { readonly term: readonly number[]; readonly makespan: string; readonly next?: string }
  /** Per rank what it encodes against its slack before the body, and the encoder scale from which it spills. */
  readonly slack: readonly {
    readonly encodes: string
    readonly slack: string
    readonly spill: string
    readonly spillsFrom?: Fraction
  }[]
  /** Steady period of the body, where it has one. */
  readonly period?: string
  readonly scales: readonly { readonly what: string; readonly regimes: readonly Regime[] }[]
}

/** Which term rules for the instance's durations, and over which scales of single durations the others do. */
export function regimesText({ head, form, owners, ruling, slack, period, scales }: RegimesView, style: Style): string {
  const cause = (term: readonly number[]) => causeText(causeOf(term, form.names, owners))
  const now = `Now: ${ruling.makespan} = ${printTerm(ruling.term, form.names)}, ${cause(ruling.term)}${ruling.next ? `; ${ruling.next}` : ''}.`
  const tables = scales.map(({ what, regimes }) => {
    const rows = regimes.map(({ term, from, until }) => [
      until ? `${decimal(from)} to ${decimal(until)}` : `from ${decimal(from)} on`,
      printTerm(term, form.names),
      cause(term)
    ])
    return `${line(`Scaling ${what} by k`, style.columns)}${grid(['k', 'ruling term', 'because of'], rows, style)}`
  })
  const spills = slack.map((row, rank) => [
    `${rank}`,
    row.encodes,
    row.slack,
    row.spill,
    row.spillsFrom ? decimal(row.spillsFrom) : '-'
  ])
  const header = ['rank', 'encodes', 'warmup slack', 'spill', 'spills from k =']
  const against =
    slack.length > 0
      ? [
          `Encoder against slack\n${grid(
            header,
            spills,
            style,
            header.map(() => 'right')
          )}`
        ]
      : []
  const steady = period ? `${wrap(`Steady period of the body: ${period}.`, style.columns)}\n` : ''
  return `${line(head, style.columns)}${wrap(now, style.columns)}\n${steady}\n${[...against, ...tables].join('\n')}`
}

function decimal({ over, under }: Fraction): string {
  return under === 1 ? `${over}` : (over / under).toFixed(4)
}

function causeText(cause: TermCause): string {
  switch (cause.kind) {
    case 'body':
      return 'the body alone'
    case 'encodes':
      return `what rank ${cause.rank} encodes before its body`
    case 'arrival':
      return `microbatch ${cause.microbatch} arriving late at stage 0`
    case 'drain':
      return 'encoder backwards at the end'
  }
}
