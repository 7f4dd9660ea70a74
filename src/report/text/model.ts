import { line } from '../../base/wrap.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

/** What is told of a modelled instance. Numbers are parameters and FLOPs. */
export type ModelView = {
  readonly name: string
  readonly hardware: string
  readonly counts: { readonly text: number; readonly vision: number; readonly total: number; readonly active: number }
  readonly flopsPerToken: number
  readonly assumptions: readonly { readonly field: string; readonly value: unknown; readonly why: string }[]
  readonly derivations: readonly { readonly path: string; readonly value: string; readonly why: string }[]
  readonly warnings: readonly string[]
}

/** A modelled instance for people: sizes, then where every number comes from, then what was assumed. */
export function modelText(view: ModelView, style: Style): string {
  const { counts } = view
  const sizes = [
    `parameters ${billions(counts.total)} (text ${billions(counts.text)}, vision ${billions(counts.vision)}), ${billions(counts.active)} active per token`,
    `${(view.flopsPerToken / 1e9).toFixed(2)} GFLOP forward per token`,
    view.hardware
  ]
  const derived = view.derivations.map(one => [one.path, one.value, one.why])
  const assumed = view.assumptions.map(one => [one.field, String(one.value), one.why])
  const warnings = view.warnings.map(text => line(`warning: ${text}`, style.columns, '  '))
  return [
    line(view.name, style.columns),
    ...sizes.map(text => line(text, style.columns, '  ')),
    '\nWhere the numbers come from\n',
    grid(['number', 'value', 'from'], derived, style),
    '\nAssumed\n',
    grid(['what', 'value', 'why'], assumed, style),
    ...(warnings.length > 0 ? ['\n', ...warnings] : [])
  ].join('')
}

function billions(count: number): string {
  return `${(count / 1e9).toFixed(2)}B`
}
