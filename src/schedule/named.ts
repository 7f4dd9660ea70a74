import type { ComputeEvent } from '../algebra/events.ts'
import { partBackwards } from '../algebra/gates.ts'
import { type Naming, nameOf } from '../algebra/maxplus/closed-form.ts'
import type { DerivedWeights } from '../algebra/maxplus/derived-graph.ts'
import { layoutOf } from '../algebra/types.ts'
import { fail } from '../base/fault.ts'
import { backwardTicks, forwardTicks, reduceTicks } from './costs.ts'
import type { Measured, Stage, Tick } from './measured.ts'

/** Ticks of the events of a derived graph. */
export function tickWeights(measured: Measured): DerivedWeights<Tick> {
  const { send, gather, scatter, broadcast, reduce } = measured.communication
  const runs = partBackwards(measured.regions)
  const firsts = firstStageOf(measured)
  return {
    compute: event => {
      const local = event.stage === undefined ? 0 : event.stage - firsts[event.region]
      return ticksOf(measured, event, measured.regions[event.region].stages[local], runs[event.region][local])
    },
    lag: { send, gather, scatter },
    broadcast,
    reduce: (region, rank) => {
      const stages = measured.regions[region].stages
      const here =
        rank === undefined ? stages : stages.filter((_, local) => (firsts[region] + local) % measured.ranks === rank)
      return reduceTicks(here.flat(), reduce)
    },
    unit: 0
  }
}

function firstStageOf({ regions }: Measured): number[] {
  let next = 0
  return regions.map(region => {
    const first = next
    if (layoutOf(region.skeleton) === 'Sharded') next += region.stages.length
    return first
  })
}

function ticksOf(measured: Measured, event: ComputeEvent, stage: Stage, runs: readonly boolean[]): Tick {
  const { kind, microbatch } = event
  const forward = forwardTicks(stage, microbatch)
  if (kind === 'Fwd') return forward
  const part = kind === 'BwdInput' ? 'input' : kind === 'BwdWeight' ? 'weight' : 'full'
  const backward = backwardTicks(stage, runs, microbatch, part)
  const recomputes = event.stage === undefined && event.region === 0 && measured.encoderBackward === 'first-rank'
  return recomputes ? forward + backward : backward
}

/** Durations by the names of a symbolic makespan. */
export type NamedDurations = { readonly naming: Naming; readonly durations: ReadonlyMap<string, Tick> }

/**
 * The durations of an instance under the coarsest names that fit it: one `f` and `b` where all stages are alike, else one
 * per stage.
 * @throws FaultError NOT_UNIFORM where a backbone stage differs from microbatch to microbatch: names that fine are refused
 */
export function namedDurations(measured: Measured, events: readonly ComputeEvent[]): NamedDurations {
  const weights = tickWeights(measured)
  const { send, gather, scatter, broadcast, reduce } = measured.communication
  const lags: [string, Tick][] = [
    ['c', send],
    ['g', gather],
    ['x', scatter],
    ['p', broadcast],
    ...measured.regions.map((region, index): [string, Tick] => [
      `q${index}`,
      reduceTicks(region.stages.flat(2), reduce)
    ])
  ]
  for (const naming of ['uniform', 'by-stage'] as const) {
    const durations = new Map(lags)
    const fits = events.every(event => {
      const name = nameOf(event, naming)
      const ticks = weights.compute(event)
      const known = durations.get(name)
      durations.set(name, ticks)
      return known === undefined || known === ticks
    })
    if (fits) return { naming, durations }
  }
  return fail(
    'NOT_UNIFORM',
    'regions',
    measured.name,
    'a backbone stage takes different times for different microbatches',
    'Closed forms name a stage once: give every backbone stage one duration.'
  )
}
