import { line, wrap } from '../../base/wrap.ts'
import { explain, unitSentence } from '../../hardware/explain.ts'
import type { Hardware } from '../../hardware/types.ts'
import { lettered } from './lettered.ts'
import type { Style } from './style.ts'
import { grid } from './table.ts'

const LIST_NOTE =
  'Per device, links one direction and sustained. `tropipe hardware NAME` gives every number with its source.'

/** The list of presets: one line each, with what one device is. */
export function hardwareList(presets: readonly Hardware[], style: Style): string {
  const rows = presets.map(one => [
    one.id,
    one.deviceUnit,
    `${one.peakTflops.bf16.value}`,
    `${one.memory.nominalGiB.value}`,
    `${Math.round(one.memory.bandwidthGBs.value)}`,
    `${one.links.node.effectiveGBs.value}`,
    `${one.links.across.effectiveGBs.value}`,
    one.aliases.join(', ')
  ])
  const header = ['preset', 'device', 'BF16 TFLOPS', 'GiB', 'HBM GB/s', 'node GB/s', 'across GB/s', 'also']
  const sides = ['left', 'left', 'right', 'right', 'right', 'right', 'right'] as const
  return `${grid(header, rows, style, sides)}\n${wrap(LIST_NOTE, style.columns)}\n`
}

/** One preset: what a device is, then every number with confidence, source and note, then the sources. */
export function hardwareText(hardware: Hardware, style: Style): string {
  const lines = explain(hardware)
  const sources = lettered(lines.map(one => one.source))
  const rows = lines.map(one => [one.name, one.value, one.confidence, sources.get(one.source) ?? '', one.note])
  const prose = (text: string) => line(text, style.columns, '  ')
  return [
    line(`${hardware.title} (${hardware.id})`, style.columns),
    prose(unitSentence(hardware)),
    ...hardware.notes.map(prose),
    '\n',
    grid(['number', 'value', 'confidence', 'source', 'note'], rows, style),
    '\n',
    ...[...sources].map(([source, mark]) => prose(`${mark}: ${source}`))
  ].join('')
}
