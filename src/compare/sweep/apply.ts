import { layoutOf } from '../../algebra/types.ts'
import { addLists, range, sum } from '../../base/arrays.ts'
import { LIMITS } from '../../instance/limits.ts'
import { equalShare, slabBackwardTicks } from '../../schedule/costs.ts'
import { encoderOrigins } from '../../schedule/encoder-share.ts'
import type { BackwardCost, Measured, MeasuredRegion, Slab, Stage, Tick } from '../../schedule/measured.ts'
import { pointText, type SweepPoint } from './axes.ts'

/** An instance at a point of a sweep, or why the point has none. Its name and hash say which point it is. */
export function instanceAt(measured: Measured, point: SweepPoint): Measured | string {
  const resized = point.microbatches === undefined ? measured : withMicrobatches(measured, point.microbatches)
  const cut = point.ranks === undefined ? resized : withRanks(resized, point.ranks)
  if (typeof cut === 'string') return cut
  const chunked = point.chunks === undefined ? cut : withChunks(cut, point.chunks)
  if (typeof chunked === 'string') return chunked
  const scaled = withFactors(chunked, point)
  const where = pointText(point)
  return where === '' ? scaled : { ...scaled, name: `${measured.name} ${where}`, hash: `${measured.hash} ${where}` }
}

/** Share of the encoder in all work of an instance, forward and backward. */
export function encoderShare(measured: Measured): number {
  const origins = encoderOrigins(measured)
  const slabs = measured.regions.flatMap(region => region.stages.flat())
  const work = (slab: Slab) =>
    sum(range(measured.microbatches).map(m => slab.forward[m] + slabBackwardTicks(slab, m, 'full')))
  const all = sum(slabs.map(work))
  return all === 0 ? 0 : sum(slabs.filter(slab => origins.has(slab.origin)).map(work)) / all
}

function mapSlabs(measured: Measured, change: (slab: Slab) => Slab): Measured {
  const regions = measured.regions.map(region => ({ ...region, stages: region.stages.map(stage => stage.map(change)) }))
  const cuts = (['dedicated', 'inlineBest', 'dedicatedBest'] as const).flatMap(cut => {
    const slabs = measured[cut]
    return slabs ? [[cut, slabs.map(change)] as const] : []
  })
  return { ...measured, regions, ...Object.fromEntries(cuts) }
}

function mapTicks(slab: Slab, change: (ticks: readonly Tick[]) => readonly Tick[]): Slab {
  const { backward } = slab
  const cost: BackwardCost =
    backward.kind === 'full'
      ? { kind: 'full', full: change(backward.full) }
      : { ...backward, input: change(backward.input), weight: change(backward.weight) }
  return { ...slab, forward: change(slab.forward), backward: cost }
}

function withMicrobatches(measured: Measured, microbatches: number): Measured {
  const repeat = <T>(values: readonly T[]) => range(microbatches).map(m => values[m % measured.microbatches])
  const items = measured.items ? { items: repeat(measured.items) } : {}
  return { ...mapSlabs(measured, slab => mapTicks(slab, repeat)), microbatches, ...items }
}

function withChunks(measured: Measured, chunks: number): Measured | string {
  if (chunks > LIMITS.encoderParts) return `an encoder task has at most ${LIMITS.encoderParts} chunks`
  const transposed = layoutOf(measured.regions[0].skeleton) === 'Replicated'
  return transposed ? { ...measured, chunks } : 'a sweep over chunks needs a transposed encoder'
}

/** The one backbone region cut into equal shares of its totals, with as many chunks per rank as before. */
function withRanks(measured: Measured, ranks: number): Measured | string {
  const sharded = measured.regions.filter(region => layoutOf(region.skeleton) === 'Sharded')
  if (sharded.length !== 1) return 'a sweep over ranks needs exactly one backbone region'
  const [backbone] = sharded
  const chunks = backbone.stages.length / measured.ranks
  const stages = equalShares(backbone, ranks * chunks, measured.microbatches)
  const first = <T>(values: readonly T[]) => range(ranks).map(rank => values[Math.min(rank, values.length - 1)])
  const { dedicated: _, stageMap: __, inlineBest: ___, dedicatedBest: ____, ...rest } = measured
  return {
    ...rest,
    ranks,
    regions: measured.regions.map(region => (region === backbone ? { ...backbone, stages } : region)),
    capacity: first(measured.capacity),
    reserved: first(measured.reserved)
  }
}

function equalShares({ stages }: MeasuredRegion, count: number, microbatches: number): Stage[] {
  const slabs = stages.flat()
  const split = slabs.every(slab => slab.backward.kind === 'split')
  const total = (of: (slab: Slab) => readonly Tick[]) => addLists(slabs.map(of), microbatches)
  const part = (which: 'full' | 'input' | 'weight') =>
    total(slab => range(microbatches).map(m => slabBackwardTicks(slab, m, which)))
  const forward = total(slab => slab.forward)
  const backward = split ? { input: part('input'), weight: part('weight') } : { full: part('full') }
  const whole = { activation: sum(slabs.map(s => s.activation)), parameters: sum(slabs.map(s => s.parameters)) }
  const share = (value: number, k: number) => equalShare(value, count, k)
  const shares = (values: readonly number[], k: number) => values.map(value => share(value, k))
  const last = slabs[slabs.length - 1]
  return range(count).map(k => [
    {
      origin: last.origin,
      trainable: slabs.some(slab => slab.trainable),
      forward: shares(forward, k),
      backward:
        'full' in backward
          ? { kind: 'full', full: shares(backward.full, k) }
          : {
              kind: 'split',
              input: shares(backward.input, k),
              weight: shares(backward.weight, k),
              weightShare: last.backward.kind === 'split' ? last.backward.weightShare : 0.5
            },
      activation: share(whole.activation, k),
      parameters: share(whole.parameters, k),
      output: last.output
    }
  ])
}

/** Durations scale rounded half up; what is not 0 stays at least 1, since 0 means that there is no work. */
function withFactors(measured: Measured, { encoder = 1, communication = 1, capacity = 1 }: SweepPoint): Measured {
  const scale = (ticks: Tick, factor: number) => (ticks === 0 ? 0 : Math.max(1, Math.floor(ticks * factor + 0.5)))
  const origins = encoderOrigins(measured)
  const slower = mapSlabs(measured, slab =>
    origins.has(slab.origin) ? mapTicks(slab, ticks => ticks.map(tick => scale(tick, encoder))) : slab
  )
  const { send, gather, scatter, broadcast, reduce, model } = measured.communication
  const travel = (ticks: Tick) => scale(ticks, communication)
  return {
    ...slower,
    communication: {
      model,
      send: travel(send),
      gather: travel(gather),
      scatter: travel(scatter),
      broadcast: travel(broadcast),
      reduce: new Map([...reduce].map(([name, ticks]) => [name, travel(ticks)]))
    },
    capacity: measured.capacity.map(bytes => (bytes === undefined ? undefined : Math.floor(bytes * capacity)))
  }
}
