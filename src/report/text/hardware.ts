import { explain, unitSentence } from '../../hardware/explain.ts'
import type { Hardware } from '../../hardware/types.ts'
import { grid } from './columns.ts'

/** The list of presets: one line each, with what one device is. */
export function hardwareList(presets: readonly Hardware[]): string {
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
  return `${grid(header, rows, sides)}\nPer device, links one direction and sustained. \`tropipe hardware NAME\` gives every number with its source.\n`
}

/** One preset: what a device is, then every number with source and confidence. */
export function hardwareText(hardware: Hardware): string {
  const rows = explain(hardware).map(line => [line.name, line.value, line.confidence, line.source, line.note])
  const notes = hardware.notes.map(note => `  ${note}\n`).join('')
  return `${hardware.title} (${hardware.id})\n  ${unitSentence(hardware)}\n${notes}\n${grid(['number', 'value', 'confidence', 'source', 'note'], rows)}`
}
