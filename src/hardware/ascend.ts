import { fraction, link, SOURCES, sourced } from './sources.ts'
import type { Hardware, Link, Sourced } from './types.ts'

const TIB = 1.099511627776e3 // GB per TiB
const hbm = sourced(1.6 * TIB, SOURCES.simulator, 'medium', '1.6 TiB/s per die; 3.2 TB/s per card in arXiv 2506.12708')
const nominal = sourced(64, SOURCES.simulator, 'high')
const hard = sourced(58, SOURCES.tuner, 'medium', 'idle runtime takes 3.3-3.4 GB; default limit of the tuner')
const safe = sourced(55, SOURCES.tuner, 'medium', 'limit in its DeepSeek-V3 configuration')

const sustained: Hardware['sustained'] = {
  denseLlm: fraction(0.42, 0.35, 0.5, SOURCES.training, 'low'),
  moeLlm: fraction(0.3, 0.2, 0.4, SOURCES.pangu, 'medium', '30.0 % reported; 20 % of this peak by our check'),
  vit: fraction(0.15, 0.08, 0.25, SOURCES.training, 'low'),
  kernel: fraction(0.7, 0.654, 0.827, SOURCES.simulator, 'medium', 'kernels: 65.4 % (MLA BF16) to 82.7 % (INT8 GEMM)'),
  memory: fraction(0.6, 0.5, 0.84, SOURCES.simulator, 'medium', '84.1 % measured for one MLA kernel')
}

const overheadUs: Hardware['overheadUs'] = {
  matmul: sourced(5, SOURCES.simulator, 'medium'),
  vector: sourced(2, SOURCES.simulator, 'medium'),
  transfer: sourced(10, SOURCES.simulator, 'medium', 'launch of a transfer or collective')
}

const siliconLink = link(
  'SIO, die to die in a card',
  sourced(224, SOURCES.simulator, 'medium'),
  sourced(157, SOURCES.simulator, 'medium', '0.7 of peak'),
  sourced(0.2, SOURCES.simulator, 'medium')
)
const unifiedBusNode = link(
  'UB inside a node',
  sourced(196, SOURCES.cloudMatrix, 'high', '7 x 28 GB/s per die, one direction'),
  sourced(150, SOURCES.hccl, 'medium', 'range 137-190; all-gather of 16 dies fits 200, reduce-scatter 167'),
  sourced(0.5, SOURCES.simulator, 'medium')
)
const unifiedBusSupernode = link(
  'UB across nodes of a supernode',
  sourced(196, SOURCES.cloudMatrix, 'high'),
  sourced(146, SOURCES.cloudMatrix, 'medium', 'less than 3 % below the node'),
  sourced(5.5, SOURCES.simulator, 'medium', 'software figure; the paper measures under 1 us more than in a node')
)
const rdma = link(
  'RDMA plane',
  sourced(25, SOURCES.cloudMatrix, 'high', '400 Gb/s per card = 25 GB/s per die'),
  sourced(20, SOURCES.roce, 'medium', 'profile peaks at 24.5'),
  sourced(1.5, SOURCES.simulator, 'medium')
)

function twice(value: Sourced): Sourced {
  return { ...value, value: value.value * 2, note: `two dies${value.note ? `; ${value.note}` : ''}` }
}

function doubled(base: Link): Link {
  return { ...base, peakGBs: twice(base.peakGBs), effectiveGBs: twice(base.effectiveGBs) }
}

const die: Hardware = {
  id: 'ascend-910c-die',
  title: 'Ascend 910C, one die (Atlas A3 device)',
  aliases: ['ascend-910c', '910c', 'atlas-a3'],
  deviceUnit: 'die',
  peakTflops: {
    bf16: sourced(353.9, SOURCES.simulator, 'medium', 'runs below FP16; 752 per die is the INT8 number'),
    fp16: sourced(376, SOURCES.simulator, 'high', '752 per card in arXiv 2506.12708'),
    int8: sourced(752, SOURCES.simulator, 'high'),
    fp32: sourced(99.5, SOURCES.simulator, 'medium', 'HF32'),
    vector16: sourced(22, SOURCES.simulator, 'medium'),
    vector32: sourced(11, SOURCES.simulator, 'medium')
  },
  memory: { nominalGiB: nominal, hardGiB: hard, safeGiB: safe, bandwidthGBs: hbm },
  sustained,
  overheadUs,
  topology: { devicesPerCard: 2, cardsPerNode: 8, nodesPerSupernode: 48 },
  links: { card: siliconLink, node: unifiedBusNode, supernode: unifiedBusSupernode, across: rdma },
  notes: ['one die is one device and one rank of a collective; a card is two dies', 'a supernode has 768 dies']
}

const card: Hardware = {
  ...die,
  id: 'ascend-910c-card',
  title: 'Ascend 910C, one card (two dies as one device)',
  aliases: [],
  deviceUnit: 'card',
  peakTflops: Object.fromEntries(Object.entries(die.peakTflops).map(([key, value]) => [key, twice(value)])) as never,
  memory: { nominalGiB: twice(nominal), hardGiB: twice(hard), safeGiB: twice(safe), bandwidthGBs: twice(hbm) },
  topology: { devicesPerCard: 1, cardsPerNode: 8, nodesPerSupernode: 48 },
  links: {
    card: doubled(unifiedBusNode),
    node: doubled(unifiedBusNode),
    supernode: doubled(unifiedBusSupernode),
    across: doubled(rdma)
  },
  notes: ['the runtime sees two devices: use this only where a source counts cards', 'a supernode has 384 cards']
}

const cloudMatrix: Hardware = {
  ...die,
  id: 'cloudmatrix384',
  title: 'CloudMatrix384 supernode: 48 nodes x 8 cards x 2 dies of Ascend 910C',
  aliases: ['cloudmatrix-384', 'cm384'],
  notes: [
    'device = die: 768 per supernode, 16 per node; "512 devices" is 32 nodes, and 512 cards would not fit',
    'node: 8 cards, 4 hosts, 7 first-level UB switches; 7 second-level sub-planes of 16 switches; a hop is 0.15-0.2 us',
    'planes: UB (scale-up), RDMA (between supernodes), VPC (storage and management, left out of the model)'
  ]
}

function variant(
  base: Hardware,
  id: string,
  title: string,
  bf16: number,
  fp16: number,
  notes: readonly string[]
): Hardware {
  const peakTflops = {
    bf16: sourced(bf16, SOURCES.simulator, 'medium'),
    fp16: sourced(fp16, SOURCES.simulator, 'medium')
  }
  return { ...base, id, title, aliases: [], peakTflops, notes }
}

const meshLink = link(
  'HCCS full mesh inside a node',
  sourced(196, SOURCES.simulator, 'medium'),
  sourced(137, SOURCES.simulator, 'low', '0.7 of peak'),
  sourced(0.5, SOURCES.simulator, 'medium')
)
const roce = link(
  'RoCE',
  sourced(25, SOURCES.simulator, 'medium'),
  sourced(20, SOURCES.roce, 'low', 'as the 910C profile'),
  sourced(1.5, SOURCES.simulator, 'medium')
)
const a2: Hardware = {
  ...die,
  deviceUnit: 'card',
  topology: { devicesPerCard: 1, cardsPerNode: 8, nodesPerSupernode: 1 },
  links: { card: meshLink, node: meshLink, supernode: meshLink, across: roce }
}

/** Ascend presets; the die of the 910C comes first. */
export const ASCEND: readonly Hardware[] = [
  die,
  card,
  cloudMatrix,
  variant(die, 'ascend-910c-die-560t', 'Ascend 910C, one die of the 560T part', 245.8, 280, ['slower A3 part']),
  variant(a2, 'ascend-910b-376t', 'Ascend 910B, 376T part', 353.9, 376, ['one die per card']),
  variant(a2, 'ascend-910b-313t', 'Ascend 910B, 313T part', 294.9, 313, ['one die per card']),
  variant(a2, 'ascend-910b-280t', 'Ascend 910B, 280T part', 245.8, 280, [
    'the 30 % that Pangu Ultra MoE reports fits this part'
  ])
]
