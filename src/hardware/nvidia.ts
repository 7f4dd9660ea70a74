import { fraction, link, SOURCES, sourced } from './sources.ts'
import type { Confidence, Hardware, Sourced } from './types.ts'

type Row = {
  readonly id: string
  readonly title: string
  readonly aliases: readonly string[]
  readonly source: string
  readonly confidence: Confidence
  readonly bf16: number
  readonly fp8?: number
  readonly gib: number
  readonly bandwidthTBs: number
  /** NVLink and network, GB/s in one direction. */
  readonly up: number
  readonly upEffective?: number
  readonly out: number
}

const ROWS: readonly Row[] = [
  {
    id: 'nvidia-a100-sxm-80g',
    title: 'NVIDIA A100 SXM 80 GB',
    aliases: ['a100'],
    source: SOURCES.a100,
    confidence: 'high',
    bf16: 312,
    gib: 80,
    bandwidthTBs: 2.039,
    up: 300,
    out: 25
  },
  {
    id: 'nvidia-h100-sxm',
    title: 'NVIDIA H100 SXM',
    aliases: ['h100'],
    source: SOURCES.h100,
    confidence: 'high',
    bf16: 989,
    fp8: 1979,
    gib: 80,
    bandwidthTBs: 3.35,
    up: 450,
    out: 50
  },
  {
    id: 'nvidia-h800-sxm',
    title: 'NVIDIA H800 SXM',
    aliases: ['h800'],
    source: SOURCES.deepseek,
    confidence: 'medium',
    bf16: 989,
    fp8: 1979,
    gib: 80,
    bandwidthTBs: 3.35,
    up: 200,
    upEffective: 160,
    out: 50
  },
  {
    id: 'nvidia-h200',
    title: 'NVIDIA H200',
    aliases: ['h200'],
    source: SOURCES.h200,
    confidence: 'high',
    bf16: 989,
    gib: 141,
    bandwidthTBs: 4.8,
    up: 450,
    out: 50
  },
  {
    id: 'nvidia-h20',
    title: 'NVIDIA H20',
    aliases: ['h20'],
    source: SOURCES.vendors,
    confidence: 'low',
    bf16: 148,
    gib: 96,
    bandwidthTBs: 4,
    up: 450,
    out: 50
  }
]

const SHARE = 0.7

function hardwareOf(row: Row): Hardware {
  const given = (value: number, note?: string): Sourced => sourced(value, row.source, row.confidence, note)
  const guess = (value: number, note: string): Sourced => sourced(value, SOURCES.derived, 'low', note)
  const nvlink = link(
    'NVLink',
    given(row.up, `${row.up * 2} in both directions`),
    row.upEffective ? given(row.upEffective) : guess(row.up * SHARE, '0.7 of peak'),
    guess(1, 'order of magnitude of a software hop')
  )
  const network = link(
    'InfiniBand',
    given(row.out),
    guess(row.out * SHARE, '0.7 of peak'),
    guess(5, 'order of magnitude of a software hop')
  )
  return {
    id: row.id,
    title: row.title,
    aliases: row.aliases,
    deviceUnit: 'card',
    peakTflops: { bf16: given(row.bf16), ...(row.fp8 ? { fp8: given(row.fp8) } : {}) },
    memory: {
      nominalGiB: given(row.gib),
      hardGiB: guess(row.gib * 0.94, '6 % for the runtime and communicators'),
      safeGiB: guess(row.gib * 0.9, '10 % for the runtime, communicators and fragmentation'),
      bandwidthGBs: given(row.bandwidthTBs * 1000)
    },
    sustained: {
      denseLlm: fraction(0.42, 0.34, 0.55, SOURCES.training, 'medium', '34.4 % (Optimus) to 54.7 % (DistTrain)'),
      moeLlm: fraction(0.3, 0.2, 0.4, SOURCES.training, 'low'),
      vit: fraction(0.15, 0.08, 0.25, SOURCES.training, 'low'),
      kernel: fraction(0.75, 0.6, 0.85, SOURCES.simumax, 'medium'),
      memory: fraction(0.7, 0.6, 0.85, SOURCES.simumax, 'medium')
    },
    overheadUs: {
      matmul: guess(5, 'as the Ascend preset'),
      vector: guess(2, 'as the Ascend preset'),
      transfer: guess(10, 'as the Ascend preset')
    },
    topology: { devicesPerCard: 1, cardsPerNode: 8, nodesPerSupernode: 1 },
    links: { card: nvlink, node: nvlink, supernode: nvlink, across: network },
    notes: ['comparison preset: datasheet peaks, sustained fractions from published runs']
  }
}

/** Comparison presets. */
export const NVIDIA: readonly Hardware[] = ROWS.map(hardwareOf)
