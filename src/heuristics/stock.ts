import { numOwners, type Overflow, ownerOf } from '../algebra/placement.ts'
import { range } from '../base/arrays.ts'
import { indexEvents } from '../schedule/body.ts'
import type { Family, FamilyOrder } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../schedule/problem.ts'
import { applyTranspose } from './transpose.ts'

/**
 * The transpose as the stock runtime runs it: stage 0 starts no forward before every feature of the prefix has arrived,
 * and the first rank's own encoder backwards are part of its stage-0 backwards. Its body is the instance's skeleton,
 * which for 1f1b is the runtime's less-memory body (the shipped recipe's).
 */
function stock(overflow: Overflow): Family {
  return {
    id: `stock-${overflow}`,
    title: `transpose as the stock runtime runs it (overflow ${overflow}): the prefix waits for every feature`,
    source: 'hyper-parallel mpipe schedule (commit 17442365), overflow and prefix receive blocks',
    apply: measured => applyStock(measured, overflow)
  }
}

/** Overflow dealt round. */
export const stockFull = stock('full')
/** Overflow on the first rank. */
export const stockMin = stock('min')

function applyStock(measured: Measured, overflow: Overflow): FamilyOrder {
  const { ranks, microbatches } = measured
  const early = (m: number) => overflow === 'full' || m < numOwners(ranks, microbatches)
  const owner = (m: number) => ownerOf(m, ranks, microbatches, overflow)
  const result = applyTranspose(measured, () => m => ({ rank: owner(m), at: early(m) ? 'prefix' : 'before-forward' }))
  if (result.kind === 'not-applicable') return result
  const crossing = range(microbatches).filter(m => early(m) && owner(m) !== 0)
  return {
    ...result,
    problem: waitForFeatures(result.problem, result.sequences, crossing),
    sequences: foldOwnBackwards(result.problem, result.sequences)
  }
}

/**
 * The prefix's receives: the feature of every crossing microbatch is received by the first forward of stage 0, not by its
 * own. That one comes later on the same rank, so nothing is lost, and each feature still travels once.
 */
function waitForFeatures(problem: Problem, sequences: Sequences, crossing: readonly number[]): Problem {
  const isForward = (id: EventId) => problem.events[id].key.kind === 'F' && problem.events[id].key.stage === 0
  const first = sequences[0]?.find(isForward)
  if (first === undefined) return problem
  const early = new Set(crossing)
  const edges = problem.edges.map(edge =>
    edge.channel === 'gather' && early.has(problem.events[edge.from].key.microbatch) ? { ...edge, to: first } : edge
  )
  return { ...problem, edges }
}

/** Moves every EB of the first rank directly behind B(first stage, m), where the runtime's autograd runs it. */
function foldOwnBackwards(problem: Problem, sequences: Sequences): Sequences {
  const index = indexEvents(problem)
  const [first, ...others] = sequences
  const stays = (id: EventId) =>
    problem.events[id].key.kind !== 'EB' || index.find('B', 0, problem.events[id].key.microbatch) === undefined
  const own = new Set(first.filter(id => !stays(id)))
  const folded = first.filter(stays).flatMap(id => {
    const { kind, stage, microbatch } = problem.events[id].key
    const backwards = kind === 'B' && stage === 0 ? index.encodes('EB', microbatch) : []
    return [id, ...backwards.filter(backward => own.has(backward))]
  })
  return [folded, ...others]
}
