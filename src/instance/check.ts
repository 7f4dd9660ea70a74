import type { Fault } from '../base/fault.ts'
import { lengthFaults } from './checks/lengths.ts'
import { nameFaults } from './checks/names.ts'
import { type Mapping, viewOf } from './checks/raw.ts'
import { scheduleFaults } from './checks/schedule.ts'
import { eventFaults, type Summable, sumFaults } from './checks/sizes.ts'
import { mapCuts } from './cuts.ts'
import { DEFAULT_WEIGHT_SHARE } from './hash.ts'
import { schemaFaults } from './issues.ts'
import { LIMITS } from './limits.ts'
import { brief } from './path.ts'
import { type InstanceDocument, instanceSchema, type SlabDocument } from './schema.ts'

export type Checked =
  | { readonly ok: true; readonly document: InstanceDocument }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** Keys that only the modelled form has; the model room turns it into a measured document before it comes here. */
const MODELLED_KEYS = ['model', 'parallel', 'hardware', 'workload']

/** Whether a document is in the modelled form (spec section 1). */
export function isModelled(value: Mapping): boolean {
  return MODELLED_KEYS.some(key => Object.hasOwn(value, key))
}

/** All faults of a document at once, of its fields and across them; or the document with defaults filled. */
export function checkInstance(value: Mapping): Checked {
  if (isModelled(value)) return { ok: false, faults: [modelledFault(value)] }
  const parsed = instanceSchema.safeParse(value)
  const view = viewOf(value)
  const faults = [
    ...(parsed.success ? [] : schemaFaults(value, instanceSchema, parsed.error.issues)),
    ...lengthFaults(view),
    ...nameFaults(view),
    ...scheduleFaults(view),
    ...eventFaults(view)
  ]
  const summable = parsed.success ? parsed.data : faults.some(blocksSums) ? undefined : summablePart(value)
  if (summable && !faults.some(blocksSums)) faults.push(...sumFaults(summable, view.skeletons))
  if (!parsed.success || faults.length > 0) return { ok: false, faults: capped(faults) }
  return { ok: true, document: withWeightShares(parsed.data) }
}

/** Sums of lists of the wrong length, or of too many events, say nothing. */
function blocksSums(fault: Fault): boolean {
  return fault.code === 'LIST_LENGTH' || fault.code === 'TOO_MANY_EVENTS'
}

const summableSchema = () =>
  instanceSchema.pick({
    ranks: true,
    microbatches: true,
    regions: true,
    communication: true,
    memory: true,
    options: true,
    dedicated: true,
    cuts: true
  })

/** The summable part of a document that is faulty elsewhere. */
function summablePart({
  ranks,
  microbatches,
  regions,
  communication,
  memory,
  options,
  dedicated,
  cuts
}: Mapping): Summable | undefined {
  const all = { ranks: ranks === 0 ? 1 : ranks, microbatches, regions, communication, memory, dedicated, cuts }
  const part = options === undefined ? all : { ...all, options }
  const parsed = summableSchema().safeParse(part)
  return parsed.success ? parsed.data : undefined
}

function modelledFault(value: Mapping): Fault {
  const path = MODELLED_KEYS.find(key => Object.hasOwn(value, key)) ?? ''
  return {
    code: 'NOT_YET',
    path,
    value: brief(value[path]),
    message: 'the modelled form is not an instance that can be solved yet',
    advice: 'Turn it into the measured form with `tropipe model`, then give that.'
  }
}

function capped(faults: readonly Fault[]): readonly Fault[] {
  if (faults.length <= LIMITS.faults) return faults
  const more = faults.length - LIMITS.faults
  const message = `${more} more faults are not listed`
  const rest = { code: 'MORE_FAULTS', path: '', value: more, message, advice: 'Correct those above first.' }
  return [...faults.slice(0, LIMITS.faults), rest]
}

/** The default share is filled in where it means something: at split backwards. */
function withWeightShares(document: InstanceDocument): InstanceDocument {
  const filled = (slab: SlabDocument): SlabDocument => {
    const { forward, backward, weightShare = DEFAULT_WEIGHT_SHARE, ...rest } = slab
    if (typeof backward === 'number' || Array.isArray(backward)) return slab
    return { forward, backward, weightShare, ...rest }
  }
  return {
    ...document,
    regions: document.regions.map(region => ({ ...region, stages: region.stages.map(filled) })),
    ...(document.dedicated ? { dedicated: { stages: document.dedicated.stages.map(filled) } } : {}),
    ...(document.cuts ? { cuts: mapCuts(document.cuts, filled) } : {})
  }
}
