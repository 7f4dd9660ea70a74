import { sum } from '../../src/base/arrays.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import type { BackwardCost, Measured, Slab, Tick } from '../../src/schedule/measured.ts'
import type { Problem, Sequences } from '../../src/schedule/problem.ts'
import { generateMeasured, type Random, seededRandom } from './generate.ts'

/** A small placement problem with a horizon that every schedule worth having stays under. */
export type SmallPlacement = {
  readonly name: string
  readonly measured: Measured
  readonly problem: Problem
  readonly body: Sequences
  readonly trainable: boolean
  readonly longest: Tick
}

/**
 * What to draw: frozen up to 3x4, trainable up to 2x3, tight memory (about a third of it too tight), outputs that take memory,
 * encoder tasks in chunks or several to a microbatch (every other one in tight memory).
 */
export type SmallKind = 'frozen' | 'trainable' | 'memory' | 'outputs' | 'parts'

/** The placement problem of a seed: the same one every time. */
export function smallPlacement(kind: SmallKind, seed: number): SmallPlacement {
  const random = seededRandom(seed * 7919 + kind.length)
  const trainable = kind === 'trainable' || (kind !== 'frozen' && random.chance(0.5))
  const parts = kind === 'parts'
  const tight = kind === 'memory' || kind === 'outputs' || (parts && seed % 2 === 1)
  const drawn = generateMeasured(seed, {
    ranks: random.int(kind === 'frozen' || parts ? 2 : 1, trainable || parts || kind === 'outputs' ? 2 : 3),
    microbatches: parts ? (trainable ? 1 : 2) : random.int(2, trainable || kind !== 'frozen' ? 3 : 4),
    encoderParts: parts,
    source: 'transposed',
    trainableSource: trainable,
    chunks: random.pick([1, 1, 1, 2]),
    bytes: tight
  })
  const whole = withSlabs(drawn, slab => ({
    ...slab,
    backward: wholeCost(slab.backward),
    output: kind === 'outputs' || (parts && tight) ? random.int(1, 6) : 0,
    forward:
      kind === 'memory'
        ? slab.forward.map((ticks, m) => (slab.origin === 'llm' ? Math.max(1, ticks) : ticks + (m % 2)))
        : slab.forward
  }))
  const measured = tight ? tighten(whole, random) : whole
  const problem = buildProblem(measured)
  const longest =
    sum(problem.events.map(({ modes }) => modes[0].duration + modes[0].release)) + 6 * problem.edges.length
  return {
    name: `${kind} ${seed}`,
    measured,
    problem,
    body: bodySequences(problem, bodyOrder(measured)),
    trainable,
    longest
  }
}

function withSlabs(measured: Measured, change: (slab: Slab) => Slab): Measured {
  const regions = measured.regions.map(region => ({ ...region, stages: region.stages.map(stage => stage.map(change)) }))
  return { ...measured, regions }
}

function wholeCost(cost: BackwardCost): BackwardCost {
  return cost.kind === 'full' ? cost : { kind: 'full', full: cost.input.map((ticks, m) => ticks + cost.weight[m]) }
}

/** Capacities at or a little above what the body's activations take at once; one rank in 20 has a byte less. */
function tighten(measured: Measured, random: Random): Measured {
  const problem = buildProblem(measured)
  const body = bodySequences(problem, bodyOrder(measured))
  const encode = sum(measured.regions[0].stages.flat().map(slab => slab.activation))
  const capacity = body.map((sequence, rank) => {
    const place = new Map(sequence.map((event, index) => [event, index]))
    const levels = sequence.map((_, at) =>
      sum(
        problem.holds.map(({ from, until, bytes }) => {
          const [first, last] = [place.get(from.event), place.get(until.event)]
          return first !== undefined && last !== undefined && first <= at && at <= last ? bytes : 0
        })
      )
    )
    return problem.fixed[rank] + Math.max(0, ...levels) + (random.chance(0.05) ? -1 : random.int(0, encode + 2))
  })
  return { ...measured, capacity }
}
