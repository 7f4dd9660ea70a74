import { ownerOf } from '../../src/algebra/placement.ts'
import { range } from '../../src/base/arrays.ts'
import { bodyOrder, bodySequences, indexEvents } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { BackwardCost, Communication, Measured, Slab } from '../../src/schedule/measured.ts'
import type { Problem, Schedule, Sequences } from '../../src/schedule/problem.ts'

type SlabInput = Partial<Omit<Slab, 'forward' | 'backward'>> & {
  readonly forward: number | readonly number[]
  readonly backward:
    | number
    | readonly number[]
    | { readonly input: number; readonly weight: number; readonly weightShare?: number }
}

const each = (value: number | readonly number[], count: number) =>
  typeof value === 'number' ? range(count).map(() => value) : value

/** A slab of a test instance; single numbers stand for every microbatch. */
export function slab(input: SlabInput, microbatches: number): Slab {
  const { backward } = input
  const cost: BackwardCost =
    typeof backward === 'object' && 'input' in backward
      ? {
          kind: 'split',
          input: each(backward.input, microbatches),
          weight: each(backward.weight, microbatches),
          weightShare: backward.weightShare ?? 0.5
        }
      : { kind: 'full', full: each(backward, microbatches) }
  return {
    origin: 'llm',
    trainable: true,
    activation: 0,
    parameters: 0,
    output: 0,
    ...input,
    forward: each(input.forward, microbatches),
    backward: cost
  }
}

export type MeasuredInput = {
  readonly name?: string
  readonly ranks: number
  readonly microbatches: number
  readonly stages: readonly SlabInput[]
  readonly encoder?: SlabInput
  readonly skeleton?: '1f1b' | 'gpipe'
  readonly communication?: Partial<Communication>
  readonly capacity?: readonly (number | undefined)[]
  readonly encoderBackward?: 'owner' | 'first-rank'
}

/** A measured instance `<skeleton>` or, with an encoder, `<transpose, skeleton>`, made directly in ticks. */
export function measuredOf(input: MeasuredInput): Measured {
  const { ranks, microbatches } = input
  const encoder = input.encoder && {
    name: 'vision',
    skeleton: 'transpose' as const,
    stages: [[slab({ origin: 'vision', ...input.encoder }, microbatches)]]
  }
  const backbone = {
    name: 'llm',
    skeleton: input.skeleton ?? ('1f1b' as const),
    stages: input.stages.map(stage => [slab(stage, microbatches)])
  }
  return {
    name: input.name ?? 'test',
    hash: 'test',
    unit: 'us',
    ticksPerUnit: 1,
    ranks,
    microbatches,
    regions: encoder ? [encoder, backbone] : [backbone],
    communication: {
      model: 'latency',
      send: 0,
      gather: 0,
      scatter: 0,
      broadcast: 0,
      reduce: new Map(),
      ...input.communication
    },
    capacity: input.capacity ?? range(ranks).map(() => undefined),
    reserved: range(ranks).map(() => 0),
    encoderBackward: input.encoderBackward ?? 'owner'
  }
}

/** The order of transpose-full, made here by its rule, so that pictures need no family. */
export function transposed(measured: Measured): { readonly problem: Problem; readonly schedule: Schedule } {
  const problem = buildProblem(measured)
  const index = indexEvents(problem)
  const owned = (kind: 'E' | 'EB', rank: number) =>
    range(measured.microbatches)
      .filter(m => ownerOf(m, measured.ranks, measured.microbatches, 'full') === rank)
      .map(m => index.find(kind, -1, m))
      .filter(id => id !== undefined)
  const sequences = bodySequences(problem, bodyOrder(measured)).map((body, rank) => [
    ...owned('E', rank),
    ...body,
    ...owned('EB', rank)
  ])
  return { problem, schedule: timed(problem, sequences) }
}

/** The schedule of an order that is known to finish. */
export function timed(problem: Problem, sequences: Sequences): Schedule {
  const result = evaluate(problem, sequences)
  if (result.kind !== 'schedule') throw new Error('the order has a cycle')
  return result.schedule
}
