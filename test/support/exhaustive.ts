import { range, sum } from '../../src/base/arrays.ts'
import type { Objective, ProblemName } from '../../src/optimize/types.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import type { BackwardCost, CommunicationModel, Measured, Slab, Tick } from '../../src/schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../../src/schedule/problem.ts'
import { bruteForcePlacement } from './brute-force.ts'
import { bruteForceTransfers } from './brute-force-transfers.ts'
import { generateMeasured, seededRandom } from './generate.ts'
import { searchByTicks } from './tick-search.ts'

/** Problem kinds, `owner` once for each of its objectives. */
export const KINDS = ['placement', 'owner', 'spill', 'reorder', 'joint'] as const
export type Kind = (typeof KINDS)[number]

/** Communication models without limits, and `latency` in tight memory. */
export type Setting = CommunicationModel | 'memory'

/** Two ranks, two or three microbatches, a transposed source; under `link` without zero lengths, whose ties are not enumerated. */
export function tinyInstance(seed: number, kind: Kind, setting: Setting): Measured {
  const random = seededRandom(seed * 31 + 7)
  const limited = setting === 'memory'
  const few = kind === 'joint' || setting === 'blocking'
  const drawn = generateMeasured(seed, {
    ranks: 2,
    microbatches: few ? 2 : random.int(2, 3),
    chunks: 1,
    source: 'transposed',
    zeros: setting !== 'link',
    bytes: limited,
    split: kind === 'joint' && seed % 2 === 0,
    // Where only encoder work tells microbatches apart there are exact models of their order.
    ...(kind === 'reorder' && seed % 2 === 0 ? { trainableSource: seed % 4 !== 0 } : {}),
    ...(kind === 'joint' && seed % 3 === 0 ? { uniform: true } : {})
  })
  const lag = random.int(1, 9)
  const { communication } = drawn
  if (kind === 'reorder' && !limited && seed % 2 === 0)
    return evenBody({ ...drawn, communication: { ...communication, model: setting } })
  if (!limited) return { ...drawn, communication: { ...communication, model: setting, send: lag, gather: lag + 2 } }
  const problem = buildProblem(drawn, { split: kind === 'joint' })
  const bytes = sum(problem.holds.map(hold => hold.bytes))
  return { ...drawn, capacity: problem.fixed.map(fixed => fixed + Math.floor((bytes * random.int(25, 55)) / 100)) }
}

/**
 * The optimum of a tiny instance of any problem kind by enumeration, under its own communication model and memory limits;
 * undefined where no schedule is shorter than `below`. Limits under `link` and `blocking` want events of some length.
 */
export function exhaustive(measured: Measured, kind: Kind, below: Tick): Tick | undefined {
  switch (kind) {
    case 'placement':
      return least(measured, below, [bodyOf])
    case 'owner':
      return least(measured, below, ownerMaps(measured).map(ofOwners))
    case 'reorder':
      return permutations(measured.microbatches)
        .map(injection => least(permuted(measured, injection), below, [bodyOf]))
        .reduce((a, b) => (a !== undefined && (b === undefined || a < b) ? a : b))
    case 'joint':
      return least(measured, below, [problem => range(problem.ranks).map(() => [])], true)
    case 'spill': {
      const spills = ownerMaps(measured)
        .filter(owners => !isLimited(measured) || least(measured, below, [ofOwners(owners)]) !== undefined)
        .map(owners => spillOf(measured, owners))
      return spills.length === 0 ? undefined : Math.min(...spills)
    }
  }
  function bodyOf(problem: Problem): Sequences {
    return bodySequences(problem, bodyOrder(measured))
  }
  function ofOwners(owners: readonly number[]) {
    return (problem: Problem) => ownerShape(measured, problem, owners)
  }
}

/** Backbone slabs that take the same for every microbatch. */
export function evenBody(measured: Measured): Measured {
  const first = (list: readonly Tick[]) => list.map(() => list[0])
  const even = (cost: BackwardCost): BackwardCost =>
    cost.kind === 'full'
      ? { ...cost, full: first(cost.full) }
      : { ...cost, input: first(cost.input), weight: first(cost.weight) }
  return withSlabs(measured, slab =>
    slab.origin === 'llm' ? { ...slab, forward: first(slab.forward), backward: even(slab.backward) } : slab
  )
}

/** The name of the problem and of its objective, as `optimize` takes them. */
export function optionsOf(kind: Kind): { problem: ProblemName; objective: Objective } {
  return kind === 'spill' ? { problem: 'owner', objective: 'spill' } : { problem: kind, objective: 'makespan' }
}

/** The instance whose microbatch i is microbatch `order[i]` of the given one. */
export function permuted(measured: Measured, order: readonly number[]): Measured {
  const pick = <T>(list: readonly T[]) => order.map(m => list[m])
  const backward = (cost: BackwardCost): BackwardCost =>
    cost.kind === 'full'
      ? { ...cost, full: pick(cost.full) }
      : { ...cost, input: pick(cost.input), weight: pick(cost.weight) }
  const { items, ...rest } = measured
  const ordered = items ? { ...rest, items: pick(items) } : rest
  return withSlabs(ordered, slab => ({ ...slab, forward: pick(slab.forward), backward: backward(slab.backward) }))
}

/** The instance with every slab changed. */
export function withSlabs(measured: Measured, change: (slab: Slab) => Slab): Measured {
  const regions = measured.regions.map(region => ({ ...region, stages: region.stages.map(stage => stage.map(change)) }))
  return { ...measured, regions }
}

/** All orders of 0..count-1. */
export function permutations(count: number): number[][] {
  let orders: number[][] = [[]]
  for (let length = 0; length < count; length++)
    orders = orders.flatMap(order =>
      range(count)
        .filter(m => !order.includes(m))
        .map(m => [...order, m])
    )
  return orders
}

/** The least of the optima with these fixed orders. */
function least(
  measured: Measured,
  below: Tick,
  fixed: readonly ((problem: Problem) => Sequences)[],
  split = false
): Tick | undefined {
  const problem = buildProblem(measured, { split })
  let best: Tick | undefined
  for (const of of fixed) {
    const found = shortest(problem, of(problem), best ?? below)
    if (found !== undefined && found < (best ?? below)) best = found
  }
  return best
}

/** The shortest schedule with these fixed orders, by the enumeration that fits. */
function shortest(problem: Problem, fixed: Sequences, below: Tick): Tick | undefined {
  if (!isLimited(problem)) return bruteForceTransfers(problem, fixed)
  if (problem.communication === 'latency') return bruteForcePlacement(problem, fixed, below)
  return searchByTicks(problem, fixed)?.makespan
}

/** Whether any rank's memory is limited. */
export function isLimited({ capacity }: Pick<Measured, 'capacity'>): boolean {
  return capacity.some(limit => limit !== undefined)
}

function ownerMaps({ ranks, microbatches }: Measured): number[][] {
  return range(ranks ** microbatches).map(code => range(microbatches).map(m => Math.floor(code / ranks ** m) % ranks))
}

/** Encodes ascending before the body; their backwards ascending after it, or behind the body's own on the first rank. */
function ownerShape(measured: Measured, problem: Problem, owners: readonly number[]): Sequences {
  const own = (kind: string, rank: number) =>
    problem.events.filter(({ key }) => key.kind === kind && owners[key.microbatch] === rank).map(({ id }) => id)
  const recomputed = measured.encoderBackward === 'first-rank'
  const behind = (id: EventId) => {
    const { kind, stage, microbatch } = problem.events[id].key
    if (!recomputed || kind !== 'B' || stage !== 0) return []
    return problem.events
      .filter(({ key }) => key.kind === 'EB' && key.microbatch === microbatch)
      .map(({ id: backward }) => backward)
  }
  return bodySequences(problem, bodyOrder(measured)).map((body, rank) => [
    ...own('E', rank),
    ...body.flatMap(id => [id, ...behind(id)]),
    ...(recomputed ? [] : own('EB', rank))
  ])
}

/** The paper's largest spill: encoder work of a rank beyond its idle time before its first forward. */
function spillOf({ regions, ranks, microbatches, communication }: Measured, owners: readonly number[]): Tick {
  const ticks = (stage: readonly Slab[], m: number) => sum(stage.map(slab => slab.forward[m]))
  const [[source], backbone] = regions.map(({ stages }) => stages)
  return Math.max(
    ...range(ranks).map(rank => {
      const slack = rank * communication.send + sum(backbone.slice(0, rank).map(stage => ticks(stage, 0)))
      const work = sum(range(microbatches).map(m => (owners[m] === rank ? ticks(source, m) : 0)))
      return Math.max(0, work - slack)
    })
  )
}
