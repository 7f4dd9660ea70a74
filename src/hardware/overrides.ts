import { type Fault, FaultError } from '../base/fault.ts'
import { didYouMean } from '../base/suggest.ts'
import type { Hardware, Sourced } from './types.ts'

/** More HBM than any card had when this was written (288 GiB) leaves room for typing errors only. */
export const LARGEST_MEMORY_GIB = 320
/** Far above any dense BF16 peak of one card. */
export const LARGEST_TFLOPS = 20000

/** What an instance or the command line may set on top of a preset; every key is optional. */
export type Overrides = {
  readonly bf16Tflops?: number
  readonly memoryGiB?: number
  readonly usableGiB?: number
  readonly bandwidthGBs?: number
  readonly denseLlm?: number
  readonly moeLlm?: number
  readonly vit?: number
  readonly memoryFraction?: number
  readonly kernel?: number
  readonly nodeGBs?: number
  readonly supernodeGBs?: number
  readonly acrossGBs?: number
  readonly cardsPerNode?: number
  readonly nodesPerSupernode?: number
}

type Rule = { readonly low: number; readonly high: number; readonly unit: string; readonly whole?: boolean }
const SHARE: Rule = { low: 0, high: 1, unit: 'a fraction of the peak' }
const SPEED: Rule = { low: 0, high: 20000, unit: 'GB/s' }

/** Allowed ranges: above 0, at most `high`. */
export const OVERRIDE_RULES: Readonly<Record<keyof Overrides, Rule>> = {
  bf16Tflops: { low: 0, high: LARGEST_TFLOPS, unit: 'TFLOPS' },
  memoryGiB: { low: 0, high: LARGEST_MEMORY_GIB, unit: 'GiB per device' },
  usableGiB: { low: 0, high: LARGEST_MEMORY_GIB, unit: 'GiB per device' },
  bandwidthGBs: { low: 0, high: 40000, unit: 'GB/s' },
  denseLlm: SHARE,
  moeLlm: SHARE,
  vit: SHARE,
  memoryFraction: SHARE,
  kernel: SHARE,
  nodeGBs: SPEED,
  supernodeGBs: SPEED,
  acrossGBs: SPEED,
  cardsPerNode: { low: 0, high: 4096, unit: 'cards', whole: true },
  nodesPerSupernode: { low: 0, high: 4096, unit: 'nodes', whole: true }
}

/** A preset with overrides; throws one report of all that cannot be right. */
export function withOverrides(base: Hardware, overrides: Overrides, path = 'hardware'): Hardware {
  const faults = Object.entries(overrides).flatMap(([key, value]) => faultsOf(`${path}.${key}`, key, value))
  const nominal = overrides.memoryGiB ?? base.memory.nominalGiB.value
  if (faults.length === 0 && overrides.usableGiB !== undefined && overrides.usableGiB > nominal)
    faults.push({
      code: 'HARDWARE_RANGE',
      path: `${path}.usableGiB`,
      value: overrides.usableGiB,
      message: `${overrides.usableGiB} GiB usable is more than the ${nominal} GiB that the device has`,
      advice: 'Set memoryGiB too, or lower usableGiB.'
    })
  if (faults.length > 0) throw new FaultError(faults)
  return applied(base, overrides)
}

function faultsOf(path: string, key: string, value: unknown): Fault[] {
  const rule = OVERRIDE_RULES[key as keyof Overrides] as Rule | undefined
  if (!rule)
    return [
      {
        code: 'UNKNOWN_KEY',
        path,
        value,
        message: `hardware has no setting "${key}"`,
        advice: didYouMean(key, Object.keys(OVERRIDE_RULES))
      }
    ]
  const fits = typeof value === 'number' && value > rule.low && value <= rule.high
  if (fits && (!rule.whole || Number.isInteger(value))) return []
  const hint = key.endsWith('GiB') ? ' No card has that much HBM: is it in bytes, or the sum over a node?' : ''
  return [
    {
      code: 'HARDWARE_RANGE',
      path,
      value,
      message: `${key} must be ${rule.whole ? 'a whole number ' : ''}above ${rule.low} and at most ${rule.high} ${rule.unit}`,
      advice: `Give it in ${rule.unit}.${hint}`
    }
  ]
}

function applied(base: Hardware, set: Overrides): Hardware {
  const put = <T extends Sourced>(old: T, value: number | undefined): T =>
    value === undefined ? old : { ...old, value, source: 'override', confidence: 'low', note: `preset: ${old.value}` }
  const scale = (set.memoryGiB ?? base.memory.nominalGiB.value) / base.memory.nominalGiB.value
  const usable = set.usableGiB ?? (scale === 1 ? undefined : base.memory.safeGiB.value * scale)
  const hard = scale === 1 ? undefined : base.memory.hardGiB.value * scale
  return {
    ...base,
    peakTflops: { ...base.peakTflops, bf16: put(base.peakTflops.bf16, set.bf16Tflops) },
    memory: {
      nominalGiB: put(base.memory.nominalGiB, set.memoryGiB),
      hardGiB: put(base.memory.hardGiB, hard),
      safeGiB: put(base.memory.safeGiB, usable),
      bandwidthGBs: put(base.memory.bandwidthGBs, set.bandwidthGBs)
    },
    sustained: {
      denseLlm: put(base.sustained.denseLlm, set.denseLlm),
      moeLlm: put(base.sustained.moeLlm, set.moeLlm),
      vit: put(base.sustained.vit, set.vit),
      kernel: put(base.sustained.kernel, set.kernel),
      memory: put(base.sustained.memory, set.memoryFraction)
    },
    topology: {
      ...base.topology,
      cardsPerNode: set.cardsPerNode ?? base.topology.cardsPerNode,
      nodesPerSupernode: set.nodesPerSupernode ?? base.topology.nodesPerSupernode
    },
    links: {
      card: base.links.card,
      node: { ...base.links.node, effectiveGBs: put(base.links.node.effectiveGBs, set.nodeGBs) },
      supernode: { ...base.links.supernode, effectiveGBs: put(base.links.supernode.effectiveGBs, set.supernodeGBs) },
      across: { ...base.links.across, effectiveGBs: put(base.links.across.effectiveGBs, set.acrossGBs) }
    }
  }
}
