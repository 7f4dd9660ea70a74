import type { Fault } from '../../base/fault.ts'
import type { Path } from '../path.ts'
import { faultAt } from './fault.ts'
import { mapping, type RawSlab, type View } from './raw.ts'

/** Lists that must have one entry per microbatch or per rank. */
export function lengthFaults(view: View): Fault[] {
  const slabs = [
    ...view.regions.flatMap(region => region.slabs),
    ...view.dedicated,
    ...view.cuts.inline,
    ...view.cuts.dedicated
  ]
  return [...slabs.flatMap(slab => slabFaults(slab, view.microbatches)), ...memoryFaults(view), ...itemFaults(view)]
}

function slabFaults({ path, value }: RawSlab, microbatches: number | undefined): Fault[] {
  const parts = mapping(value.backward)
  return [
    ...lengthFault([...path, 'forward'], value.forward, microbatches, 'microbatch'),
    ...lengthFault([...path, 'backward'], value.backward, microbatches, 'microbatch'),
    ...lengthFault([...path, 'backward', 'input'], parts.input, microbatches, 'microbatch'),
    ...lengthFault([...path, 'backward', 'weight'], parts.weight, microbatches, 'microbatch')
  ]
}

function memoryFaults({ root, ranks }: View): Fault[] {
  const memory = mapping(root.memory)
  return (['capacity', 'reserved'] as const).flatMap(key => lengthFault(['memory', key], memory[key], ranks, 'rank'))
}

function itemFaults({ root, microbatches }: View): Fault[] {
  return lengthFault(['options', 'items'], mapping(root.options).items, microbatches, 'microbatch')
}

function lengthFault(path: Path, value: unknown, wanted: number | undefined, per: string): Fault[] {
  if (!Array.isArray(value) || wanted === undefined || value.length === wanted) return []
  const advice = `Give ${wanted} entries, or one number for all.`
  return [faultAt('LIST_LENGTH', path, value, `${value.length} entries where one per ${per} is needed`, advice)]
}
