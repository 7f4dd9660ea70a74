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

/** Where a family puts the encode of a microbatch; `item` is which of its encoder tasks. */
export type PlaceRule = (microbatch: number, item: number) => EncodePlace

/**
 * The order of a transpose family: encodes ascending in each rank's prefix (or before their forward), then the body; an
 * owner's backwards ascending after the body, or under `first-rank` each directly after B(first stage, m). The chunks of a
 * task run one after the other.
 */
export function transposeSequences(measured: Measured, problem: Problem, place: PlaceRule): Sequences {
  const index = indexEvents(problem)
  const body = bodySequences(problem, bodyOrder(measured))
  const firstRank = measured.encoderBackward === 'first-rank'
  const [prefix, suffix] = [body.map((): EventId[] => []), body.map((): EventId[] => [])]
  const around = new Map<EventId, { readonly before: EventId[]; readonly after: readonly EventId[] }>()
  for (const m of range(measured.microbatches)) {
    const [forward, backward] = [index.find('F', 0, m), index.find('B', 0, m)]
    const early: EventId[] = []
    for (const id of index.encodes('E', m)) {
      const { rank, at } = place(m, problem.events[id].key.item)
      if (at === 'prefix' || forward === undefined) prefix[rank].push(id)
      else early.push(id)
    }
    if (forward !== undefined && early.length > 0) around.set(forward, { before: early, after: [] })
    const backwards = index.encodes('EB', m)
    if (firstRank && backward !== undefined) around.set(backward, { before: [], after: backwards })
    else for (const id of backwards) suffix[firstRank ? 0 : place(m, problem.events[id].key.item).rank].push(id)
  }
  return body.map((events, rank) => [
    ...prefix[rank],
    ...(around.size === 0 ? events : events.flatMap(id => withNeighbours(id, around.get(id)))),
    ...suffix[rank]
  ])
}

function withNeighbours(
  id: EventId,
  around: { readonly before: readonly EventId[]; readonly after: readonly EventId[] } | undefined
): readonly EventId[] {
  return around ? [...around.before, id, ...around.after] : [id]
}

/** Builds a transpose family from the rule that places its encodes. */
export function applyTranspose(
  measured: Measured,
  rule: (measured: Measured, problem: Problem) => PlaceRule
): FamilyOrder {
  const obstacle = transposeObstacle(measured)
  if (obstacle) return { kind: 'not-applicable', reason: obstacle }
  const problem = buildProblem(measured)
  return { kind: 'order', measured, problem, sequences: transposeSequences(measured, problem, rule(measured, problem)) }
}
