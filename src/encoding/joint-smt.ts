import type { CommunicationModel, Tick } from '../schedule/measured.ts'
import type { Kind, Problem, Sequences } from '../schedule/problem.ts'
import { analyse } from './analysis.ts'
import type { Encoded } from './encoded.ts'
import { addArrivals } from './groups/logic/arrivals.ts'
import type { LogicContext } from './groups/logic/context.ts'
import type { FixedOrder } from './groups/logic/no-overlap.ts'
import { addTaken } from './groups/logic/taken.ts'
import type { Smt, Variable } from './model/types.ts'
import { type DecisionOptions, encodeDecision } from './placement-smt.ts'
import { analyseByPosition, named, type Positions, positionsOf } from './positions.ts'
import { namedByTaken, type Taken, takenPositions } from './taken.ts'

/** A body that fixes nothing. */
export function freeBody(problem: Problem): Sequences {
  return Array.from({ length: problem.ranks }, () => [])
}

/**
 * `joint` as a decision: is there any schedule at all, in any order of the stage events, that ends by `makespan` ticks?
 * Difference logic, exact, memory included. Interchangeable microbatches enter in ascending order. Under another `model`
 * the transfers are placed as well, and the problem is the one for that (`withPlacedTransfers`).
 */
export function encodeJointSmt(problem: Problem, makespan: Tick, model: CommunicationModel = 'latency'): Encoded<Smt> {
  const body = freeBody(problem)
  const positions = model === 'latency' ? positionsOf(problem) : undefined
  if (positions) {
    const analysis = analyseByPosition(positions, body, makespan)
    const rule = interchangeable(positions.problem, true)
    return named(positions, encodeDecision(analysis, rule, { ascending: true, also: arrivalsOf(positions) }))
  }
  const frozen = problem.events.every(event => event.key.kind !== 'EB')
  const taken = model !== 'latency' && frozen ? takenPositions(problem) : undefined
  if (taken) return encodeTaken(taken, body, makespan, interchangeable(taken.problem, true), { model })
  const ascending = problem.ties.length === 0
  return encodeDecision(analyse(problem, body, makespan), interchangeable(problem), { model, ascending })
}

/**
 * `reorder` as a decision: the body's pattern stands, and who enters k-th is free. By positions of entry only: where
 * something besides encoder work tells two microbatches apart there is no such model.
 */
export function encodeReorderSmt(
  positions: Positions | Taken,
  body: Sequences,
  makespan: Tick,
  model: CommunicationModel = 'latency'
): Encoded<Smt> {
  const anyOrder = () => undefined
  if ('standIns' in positions) return encodeTaken(positions, body, makespan, anyOrder, { model })
  const analysis = analyseByPosition(positions, body, makespan)
  return named(positions, encodeDecision(analysis, anyOrder, { also: arrivalsOf(positions) }))
}

function arrivalsOf(positions: Positions): (context: LogicContext) => void {
  return context => addArrivals(context, positions)
}

function encodeTaken(
  taken: Taken,
  body: Sequences,
  makespan: Tick,
  fixed: FixedOrder,
  options: DecisionOptions
): Encoded<Smt> {
  const takes = new Map<number, readonly Variable[]>()
  const also = (context: LogicContext) => {
    for (const [microbatch, booleans] of addTaken(context, taken)) takes.set(microbatch, booleans)
  }
  const analysis = analyseByPosition(taken, body, makespan)
  const encoded = encodeDecision(analysis, fixed, { ...options, also })
  // Limits beside unequal lengths are left out.
  const limited = taken.original.capacity.some(limit => limit !== undefined)
  const exact = encoded.exact && !(limited && taken.uneven.length > 0)
  return namedByTaken(taken, { ...encoded, exact }, takes)
}

/** Stage events, whose relabelling moves no work between ranks. */
const STAGE_KINDS: readonly Kind[] = ['F', 'B', 'I', 'W']

/**
 * Microbatches that are alike in everything can be renamed. Sorting the times of each kind and stage within a group of
 * them keeps every schedule legal: if each of some events starts a lag after its partner, so does the k-th after the
 * k-th; and memory counts how many have started and ended, not which. So all stage events may be taken in ascending
 * order. Where an encoder backward must run on its encode's rank, renaming could part the two: then only the first
 * stage's forwards are put in order, which fixes the names.
 */
export function interchangeable(problem: Problem, everywhere = problem.ties.length === 0): FixedOrder {
  const groupOf = new Map(
    problem.symmetric.flatMap((group, index) => group.map(microbatch => [microbatch, index] as const))
  )
  return (a, b) => {
    const [first, second] = [problem.events[a].key, problem.events[b].key]
    if (first.kind !== second.kind || first.stage !== second.stage || first.replica !== second.replica) return undefined
    if (everywhere ? !STAGE_KINDS.includes(first.kind) : first.kind !== 'F' || first.stage !== 0) return undefined
    const group = groupOf.get(first.microbatch)
    if (group === undefined || group !== groupOf.get(second.microbatch)) return undefined
    return first.microbatch < second.microbatch ? 'before' : 'after'
  }
}
