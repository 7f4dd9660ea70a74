import { layoutOf } from '../algebra/types.ts'
import { range } from '../base/arrays.ts'
import { bodyOrder, bodySequences, indexEvents } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import type { FamilyOrder } from '../schedule/family.ts'
import type { Measured } from '../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../schedule/problem.ts'

/** Where a transposed source's forwards go: on which rank, and in its prefix or directly before F(first stage, m). */
export type EncodePlace = { readonly rank: number; readonly at: 'prefix' | 'before-forward' }

/** Why transposing does not apply to an instance, or undefined. */
export function transposeObstacle(measured: Measured): string | undefined {
  return layoutOf(measured.regions[0].skeleton) === 'Replicated'
    ? undefined
    : 'no transposed source region in this schedule'
}

/**
 * The order of a transpose family: encodes ascending in each rank's prefix (or before their forward), then the body; an
 * owner's backwards ascending after the body, or under `first-rank` each directly after B(first stage, m).
 */
export function transposeSequences(
  measured: Measured,
  problem: Problem,
  place: (microbatch: number) => EncodePlace
): Sequences {
  const index = indexEvents(problem)
  const body = bodySequences(problem, bodyOrder(measured))
  const microbatches = range(measured.microbatches)
  const encodes = microbatches.filter(m => index.find('E', -1, m) !== undefined)
  const firstRank = measured.encoderBackward === 'first-rank'
  return body.map((events, rank) => {
    const mine = encodes.filter(m => place(m).rank === rank)
    const inPrefix = (m: number) => place(m).at === 'prefix' || index.find('F', 0, m) === undefined
    const prefix = mine.filter(inPrefix).map(m => index.find('E', -1, m) as EventId)
    const early = new Map(
      mine.filter(m => !inPrefix(m)).map(m => [index.find('F', 0, m), index.find('E', -1, m) as EventId])
    )
    const steps = events.flatMap(id =>
      withNeighbours(id, early.get(id), firstRank ? backwardAfter(problem, id) : undefined)
    )
    const loose = firstRank ? (events.length === 0 && rank === 0 ? encodes : []) : mine
    const suffix = loose.map(m => index.find('EB', -1, m)).filter((id): id is EventId => id !== undefined)
    return [...prefix, ...steps, ...suffix]
  })
}

function withNeighbours(id: EventId, before: EventId | undefined, after: EventId | undefined): EventId[] {
  return [...(before === undefined ? [] : [before]), id, ...(after === undefined ? [] : [after])]
}

/** EB(m) when `id` is B(first stage, m). */
function backwardAfter(problem: Problem, id: EventId): EventId | undefined {
  const { kind, stage, microbatch } = problem.events[id].key
  return kind === 'B' && stage === 0 ? indexEvents(problem).find('EB', -1, microbatch) : undefined
}

/** Builds a transpose family from the rule that places its encodes. */
export function applyTranspose(
  measured: Measured,
  rule: (measured: Measured, problem: Problem) => (m: number) => EncodePlace
): FamilyOrder {
  const obstacle = transposeObstacle(measured)
  if (obstacle) return { kind: 'not-applicable', reason: obstacle }
  const problem = buildProblem(measured)
  return { kind: 'order', measured, problem, sequences: transposeSequences(measured, problem, rule(measured, problem)) }
}
