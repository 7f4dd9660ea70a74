import { range } from '../base/arrays.ts'
import { fail } from '../base/fault.ts'
import { type InstanceDocument, measure } from '../instance/index.ts'
import type { ModelledDocument } from '../instance/modelled-schema.ts'
import type { Measured, Slab } from '../schedule/measured.ts'
import { expandResolved } from './load.ts'
import { allLoads, type Drawn } from './loads.ts'
import { randomOf } from './random.ts'
import { resolvePlan } from './resolve.ts'

/** One random step: an instance per data-parallel group, the one with most encoder work first. */
export type Draw = { readonly seed: number; readonly groups: readonly Measured[] }

/**
 * `count` draws of a modelled instance: its workload with seeds seed, seed + 1, ...; every data-parallel group is an
 * instance of its own, since the step waits for the slowest.
 */
export function drawModelled(document: ModelledDocument, seed: number, count: number): Draw[] {
  const resolved = resolvePlan(document)
  const { vision } = resolved.plan.architecture
  if (!vision)
    return fail('DRAW_NO_SOURCE', 'vision', undefined, 'the model has no vision tower: nothing varies', 'Drop --draws.')
  return range(count).map(index => {
    const plan = { ...resolved.plan, seed: seed + index }
    const groups = allLoads(plan, vision).map((loads, group): Drawn => ({ loads, group }))
    const instances = groups.map(drawn =>
      measure(expandResolved(document, { ...resolved, plan }, drawn.loads).document)
    )
    return { seed: seed + index, groups: [...instances].sort((a, b) => encoderTicks(b) - encoderTicks(a)) }
  })
}

/**
 * `count` draws of a measured instance: each microbatch takes the encoder work (forward and backward together) of a
 * microbatch chosen at random with replacement; the backbone stays.
 */
export function drawMeasured(document: InstanceDocument, seed: number, count: number): Draw[] {
  const measured = measure(document)
  if (measured.regions[0].skeleton !== 'transpose' || measured.regions.length < 2)
    return fail(
      'DRAW_NO_SOURCE',
      'regions[0]',
      measured.regions[0].name,
      'there is no transposed source region: nothing varies',
      'Drop --draws, or give an instance with an encoder.'
    )
  return range(count).map(index => {
    const random = randomOf(seed + index, 7)
    const picks = range(measured.microbatches).map(() => Math.floor(random.uniform() * measured.microbatches))
    const [source, ...rest] = measured.regions
    const stages = source.stages.map(stage => stage.map(slab => resampled(slab, picks)))
    const hash = `${measured.hash}#${seed + index}`
    const items = measured.items ? { items: picks.map(m => measured.items?.[m] ?? [1]) } : {}
    return { seed: seed + index, groups: [{ ...measured, ...items, hash, regions: [{ ...source, stages }, ...rest] }] }
  })
}

function resampled(slab: Slab, picks: readonly number[]): Slab {
  const pick = (ticks: readonly number[]) => picks.map(m => ticks[m])
  const { backward } = slab
  return {
    ...slab,
    forward: pick(slab.forward),
    backward:
      backward.kind === 'full'
        ? { kind: 'full', full: pick(backward.full) }
        : { ...backward, input: pick(backward.input), weight: pick(backward.weight) }
  }
}

function encoderTicks(measured: Measured): number {
  const [source] = measured.regions
  return source.stages.flat().reduce((total, slab) => total + slab.forward.reduce((a, b) => a + b, 0), 0)
}
