import { parseSchedule, printSchedule } from '../algebra/notation.ts'
import { canonicalJson, sha256Hex } from './canonical.ts'
import { mapCuts } from './cuts.ts'
import { itemShares } from './items.ts'
import type { InstanceDocument, SlabDocument } from './schema.ts'

/**
 * Hash of what an instance means, as `sha256:` and hexadecimal: without name, description and source, and equal for
 * every way to write the same numbers (a list of equal entries is that number).
 */
export function instanceHash(document: InstanceDocument): string {
  const { name: _name, description: _description, source: _source, ...content } = document
  const semantic = {
    ...content,
    schedule: printSchedule(parseSchedule(content.schedule)),
    regions: content.regions.map(region => ({ ...region, stages: region.stages.map(semanticSlab) })),
    communication: { ...content.communication, reduce: withoutZeros(content.communication.reduce) },
    memory: semanticMemory(content.memory),
    options: { ...semanticOptions(content.options), ...semanticTasks(document) },
    dedicated: content.dedicated && { stages: content.dedicated.stages.map(semanticSlab) },
    cuts: content.cuts && mapCuts(content.cuts, semanticSlab)
  }
  return `sha256:${sha256Hex(canonicalJson(semantic))}`
}

/** Overlapped pairs that take F + B are the default, however that is written. */
function semanticOptions({ overlap, chunks: _, items: __, ...options }: InstanceDocument['options']): object {
  if (overlap === undefined || overlap === 'sum') return options
  if ('duration' in overlap) return { ...options, overlap }
  const factor = Math.round(overlap.factor * 1e6) / 1e6
  return factor === 1 ? options : { ...options, overlap: { factor } }
}

type Numbers = number | readonly number[]

function collapse(numbers: Numbers): Numbers {
  if (typeof numbers === 'number' || numbers.length === 0) return numbers
  return numbers.every(entry => entry === numbers[0]) ? numbers[0] : numbers
}

function semanticSlab(slab: SlabDocument): unknown {
  const { backward, weightShare, ...rest } = slab
  const costs = { ...rest, forward: collapse(slab.forward) }
  if (typeof backward === 'number' || Array.isArray(backward)) return { ...costs, backward: collapse(backward) }
  const parts = { input: collapse(backward.input), weight: collapse(backward.weight) }
  return { ...costs, backward: parts, weightShare: weightShare ?? DEFAULT_WEIGHT_SHARE }
}

/** Share of the activation that a split backward keeps for its weight part, where not given (spec section 3). */
export const DEFAULT_WEIGHT_SHARE = 0.5

/** Encoder tasks as shares without a common factor; left out where every task is whole. */
function semanticTasks(document: InstanceDocument): object {
  const { chunks = 1 } = document.options
  const items = itemShares(document)
  const same = items?.every(shares => shares.join() === items[0].join())
  return { chunks: chunks > 1 ? chunks : undefined, items: same ? items?.[0] : items }
}

function semanticMemory(memory: InstanceDocument['memory']): unknown {
  const capacity = memory?.capacity === undefined ? undefined : collapse(memory.capacity)
  return { capacity, reserved: collapse(memory?.reserved ?? 0) }
}

function withoutZeros(reduce: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(reduce).filter(([, ticks]) => ticks > 0))
}
