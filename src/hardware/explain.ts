import type { Hardware, Sourced } from './types.ts'

/** One line of an explained preset. */
export type Line = {
  readonly name: string
  readonly value: string
  readonly source: string
  readonly confidence: string
  readonly note: string
}

/** Every number of a preset with unit, source, confidence and note, in reading order. */
export function explain(hardware: Hardware): Line[] {
  const { memory, sustained, overheadUs, links } = hardware
  return [
    ...Object.entries(hardware.peakTflops).map(([key, one]) => line(`peak ${key}`, one, 'TFLOPS')),
    line('HBM', memory.nominalGiB, 'GiB'),
    line('HBM, hard limit', memory.hardGiB, 'GiB'),
    line('HBM, planned for', memory.safeGiB, 'GiB'),
    line('HBM bandwidth', memory.bandwidthGBs, 'GB/s'),
    ...Object.entries(sustained).map(([key, one]) => ({
      ...line(`sustained ${key}`, one, 'of peak'),
      value: `${one.value} of peak (${one.low}-${one.high})`
    })),
    ...Object.entries(overheadUs).map(([key, one]) => line(`overhead ${key}`, one, 'us')),
    ...Object.entries(links).flatMap(([hop, one]) => [
      line(`${hop}: ${one.name}, peak`, one.peakGBs, 'GB/s'),
      line(`${hop}: ${one.name}, sustained`, one.effectiveGBs, 'GB/s'),
      line(`${hop}: ${one.name}, latency`, one.latencyUs, 'us')
    ])
  ]
}

function line(name: string, one: Sourced, unit: string): Line {
  const value = `${Number(one.value.toPrecision(6))} ${unit}`
  return { name, value, source: one.source, confidence: one.confidence, note: one.note ?? '' }
}

/** One sentence on what a device is and how many make a card, a node and a supernode. */
export function unitSentence(hardware: Hardware): string {
  const { devicesPerCard, cardsPerNode, nodesPerSupernode } = hardware.topology
  const perNode = devicesPerCard * cardsPerNode
  const supernode =
    nodesPerSupernode > 1 ? `, ${perNode * nodesPerSupernode} per supernode of ${nodesPerSupernode} nodes` : ''
  return `device = one ${hardware.deviceUnit}; ${devicesPerCard} per card, ${perNode} per node${supernode}`
}
