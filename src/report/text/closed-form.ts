import { wrap } from '../../base/wrap.ts'
import type { Binding } from '../../schedule/closed-form.ts'
import { type Scale, timeColumn } from '../../schedule/quantities.ts'
import { dim } from './glyphs.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** A closed form with its parts, in ticks; exact = paper - absorbed + arrival + drain. */
export type FormView = {
  readonly paper: number
  readonly exact: number
  readonly absorbed: number
  readonly arrival: number
  readonly drain: number
  readonly binding: Binding
}

/** The closed forms of transpose orders, one row each, and what their columns mean. */
export function closedFormTable(
  forms: readonly { readonly name: string; readonly form: FormView }[],
  scale: Scale,
  style: Style
): string {
  const parts = ['paper', 'absorbed', 'arrival', 'drain', 'exact'] as const
  const times = timeColumn(
    forms.flatMap(({ form }) => parts.map(part => form[part])),
    scale
  )
  const rows = forms.map(({ name, form }, row) => [
    name,
    ...parts.map((_, column) => times.cells[row * parts.length + column]),
    bindingText(form.binding)
  ])
  const header = [`closed form/${times.unit}`, 'paper', '- absorbed', '+ arrival', '+ drain', '= exact', 'binding']
  const note =
    'paper: backbone + largest spill; absorbed: spill that was no bottleneck; arrival: stage 0 waits for encodes; drain: encoder backwards after the body'
  return `${grid(header, rows, style, ['left', 'right', 'right', 'right', 'right', 'right'], (line, row) => (row === -1 ? dim(line, style) : line))}\n${wrap(note, style.columns, '  ')}\n`
}

/** What a closed form is bound by, in a word or two. */
export function bindingText(binding: Binding): string {
  return binding.kind === 'spill' ? `spill of rank ${binding.rank}` : binding.kind
}
