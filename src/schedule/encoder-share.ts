import { firstStages } from '../algebra/derive.ts'
import { partBackwards } from '../algebra/gates.ts'
import { layoutOf } from '../algebra/types.ts'
import { LAG } from './channels.ts'
import { backwardTicks, forwardTicks, shapeOf } from './costs.ts'
import { evaluate } from './evaluate.ts'
import type { Measured, Stage, Tick } from './measured.ts'
import { withOwnTicks } from './overlap.ts'
import type { Event, EventId, Problem, Schedule } from './problem.ts'

/** Names of the regions whose slabs are encoder work: the source, where something follows it. */
export function encoderOrigins(measured: Measured): ReadonlySet<string> {
  const [source, ...rest] = measured.regions
  const isSource = layoutOf(source.skeleton) === 'Replicated' || rest.length > 0
  return new Set(isSource ? source.stages.flat().map(slab => slab.origin) : [])
}

/**
 * Exposed encoder time: by how many ticks the encoder lengthens the step, against the same order with an encoder that
 * takes no time, transfers and reductions of its own included. `measured` is the instance that the order is of.
 */
export function exposedEncoder(
  measured: Measured,
  problem: Problem,
  schedule: Schedule,
  origins: ReadonlySet<string>
): Tick {
  if (origins.size === 0) return 0
  const parts = encoderParts(measured, origins)
  const replicated = (event: Event) => problem.regions[event.key.region]?.layout === 'Replicated'
  const without = (id: EventId, alone: Tick) => (replicated(problem.events[id]) ? 0 : alone - parts(problem.events[id]))
  const bare = withOwnTicks(problem, without, measured.overlap)
  const events = bare.events.map(event => ({
    ...event,
    modes: event.modes.map(mode => ({ ...mode, release: 0 }))
  }))
  const lags = problem.lags.map((table, index) => (index === LAG.send ? table : new Float64Array(table.length)))
  const evaluation = evaluate({ ...bare, events, lags }, schedule.sequences)
  return evaluation.kind === 'schedule' ? schedule.makespan - evaluation.schedule.makespan : 0
}

/** Encoder ticks inside a stage event. */
function encoderParts(measured: Measured, origins: ReadonlySet<string>): (event: Event) => Tick {
  const runs = partBackwards(shapeOf(measured).regions)
  const firsts = firstStages(measured.regions)
  return ({ key }) => {
    if (key.stage < 0) return 0
    const local = key.stage - firsts[key.region]
    const stage = measured.regions[key.region].stages[local]
    const keep = stage.map(slab => origins.has(slab.origin))
    const encoder: Stage = stage.filter((_, part) => keep[part])
    const running = runs[key.region][local].filter((_, part) => keep[part])
    if (encoder.length === 0) return 0
    switch (key.kind) {
      case 'F':
        return forwardTicks(encoder, key.microbatch)
      case 'B':
        return backwardTicks(encoder, running, key.microbatch)
      case 'I':
        return backwardTicks(encoder, running, key.microbatch, 'input')
      case 'W':
        return backwardTicks(encoder, running, key.microbatch, 'weight')
      default:
        return 0
    }
  }
}
