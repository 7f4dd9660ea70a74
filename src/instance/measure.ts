import { normalise } from '../algebra/normal-form.ts'
import { parseSchedule } from '../algebra/notation.ts'
import { layoutOf } from '../algebra/types.ts'
import { range } from '../base/arrays.ts'
import type { BackwardCost, Measured, MeasuredRegion, Slab } from '../schedule/measured.ts'
import { mapCuts } from './cuts.ts'
import { DEFAULT_WEIGHT_SHARE, instanceHash } from './hash.ts'
import { itemShares } from './items.ts'
import { BYTE_SCALE, tickScale, toInteger } from './scale.ts'
import type { InstanceDocument, RegionDocument, SlabDocument } from './schema.ts'

/**
 * A valid document in integer ticks and bytes and in normal form: a transposed region is one stage with its slabs as
 * parts, adjacent Replicated regions are merged. Takes documents that `parseInstance` or `checkInstance` accepted.
 */
export function measure(document: InstanceDocument): Measured {
  const converter = converterOf(document)
  const skeletons = parseSchedule(document.schedule)
  const regions = document.regions.map((region, index): MeasuredRegion => {
    const slabs = region.stages.map(slab => converter.slab(slab, region))
    const replicated = layoutOf(skeletons[index]) === 'Replicated'
    return { name: region.name, skeleton: skeletons[index], stages: replicated ? [slabs] : slabs.map(slab => [slab]) }
  })
  const { model, reduce, ...lags } = document.communication
  const backbone = document.regions.find((_, index) => layoutOf(skeletons[index]) === 'Sharded')
  const dedicated =
    document.dedicated && backbone && document.dedicated.stages.map(slab => converter.slab(slab, backbone))
  const { chunks = 1 } = document.options
  const items = itemShares(document)
  const cuts = document.cuts && backbone && mapCuts(document.cuts, slab => converter.slab(slab, backbone))
  return {
    name: document.name,
    hash: instanceHash(document),
    unit: document.unit,
    ticksPerUnit: converter.ticksPerUnit,
    ranks: document.ranks,
    microbatches: document.microbatches,
    regions: normalise(regions),
    communication: {
      model,
      send: converter.ticks(lags.send),
      gather: converter.ticks(lags.gather),
      scatter: converter.ticks(lags.scatter),
      broadcast: converter.ticks(lags.broadcast),
      reduce: new Map(Object.entries(reduce).map(([name, value]) => [name, converter.ticks(value)]))
    },
    capacity: perRank(document.memory?.capacity, document.ranks),
    reserved: perRank(document.memory?.reserved ?? 0, document.ranks),
    encoderBackward: document.options.encoderBackward,
    ...overlapOf(document, converter.ticks),
    ...(document.options.roundSize === undefined ? {} : { roundSize: document.options.roundSize }),
    ...(chunks > 1 ? { chunks } : {}),
    ...(items ? { items } : {}),
    ...(dedicated ? { dedicated } : {}),
    ...(cuts?.inline ? { inlineBest: cuts.inline.stages } : {}),
    ...(cuts?.dedicated ? { dedicatedBest: cuts.dedicated.stages } : {})
  }
}

/** The stated rule for overlapped pairs; nothing where they take the sum, which is the default. */
function overlapOf(
  { options: { overlap } }: InstanceDocument,
  ticks: (value: number) => number
): Pick<Measured, 'overlap'> {
  if (typeof overlap !== 'object') return {}
  if ('duration' in overlap) return { overlap: { kind: 'fixed', ticks: ticks(overlap.duration) } }
  const perMillion = Math.round(overlap.factor * 1e6)
  return perMillion === 1e6 ? {} : { overlap: { kind: 'factor', perMillion } }
}

function converterOf(document: InstanceDocument) {
  const scale = tickScale(document)
  const ticks = (value: number): number => toInteger(value, scale)
  const list = (numbers: number | readonly number[]): number[] =>
    typeof numbers === 'number' ? new Array<number>(document.microbatches).fill(ticks(numbers)) : numbers.map(ticks)
  const backward = (slab: SlabDocument): BackwardCost => {
    const cost = slab.backward
    if (typeof cost === 'number' || Array.isArray(cost)) return { kind: 'full', full: list(cost) }
    const weightShare = slab.weightShare ?? DEFAULT_WEIGHT_SHARE
    return { kind: 'split', input: list(cost.input), weight: list(cost.weight), weightShare }
  }
  const slab = (stated: SlabDocument, region: RegionDocument): Slab => ({
    origin: region.name,
    trainable: region.trainable,
    forward: list(stated.forward),
    backward: backward(stated),
    activation: toInteger(stated.activation, BYTE_SCALE),
    parameters: toInteger(stated.parameters, BYTE_SCALE),
    output: toInteger(stated.output, BYTE_SCALE)
  })
  return { ticksPerUnit: 10 ** scale.power, ticks, slab }
}

function perRank(numbers: number | readonly number[] | undefined, ranks: number): number[]
function perRank(numbers: number | readonly number[] | undefined, ranks: number): (number | undefined)[] {
  if (numbers === undefined) return range(ranks).map(() => undefined)
  return range(ranks).map(rank => toInteger(typeof numbers === 'number' ? numbers : numbers[rank], BYTE_SCALE))
}
