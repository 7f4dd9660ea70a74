import type { CommunicationModel, Tick } from '../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../schedule/problem.ts'
import { type Analysis, analyse, entryOf, withoutWindows } from './analysis.ts'
import { type Encoded, sequencesByTime } from './encoded.ts'
import { addOwners } from './groups/logic/assignment.ts'
import type { LogicContext } from './groups/logic/context.ts'
import { addInFlight } from './groups/logic/in-flight.ts'
import { addMemory } from './groups/logic/memory.ts'
import { addNoOverlap, type FixedOrder } from './groups/logic/no-overlap.ts'
import { addPrecedence } from './groups/logic/precedence.ts'
import { addReleases } from './groups/logic/release.ts'
import { addSpill, type SpillLimit } from './groups/logic/spill.ts'
import { addTransfers, transferTimes } from './groups/logic/transfers.ts'
import { addStarts } from './groups/logic/windows.ts'
import { SmtBuilder } from './model/builder.ts'
import type { Smt } from './model/types.ts'

/**
 * `placement` as a decision: is there a schedule that keeps the body order of each rank and ends by `makespan` ticks?
 * Difference logic, exact, memory included. Under another `model` the transfers are placed as well, and the problem is the
 * one for that (`withPlacedTransfers`).
 */
export function encodePlacementSmt(
  problem: Problem,
  body: Sequences,
  makespan: Tick,
  model: CommunicationModel = 'latency'
): Encoded<Smt> {
  return encodeDecision(analyse(problem, body, makespan), () => undefined, { model })
}

/**
 * `owner` as a decision: encodes ascending before the body, their backwards ascending after it (or after B under
 * `first-rank`). With `limit` no rank may spill more than that as well.
 */
export function encodeOwnerSmt(
  problem: Problem,
  body: Sequences,
  makespan: Tick,
  model: CommunicationModel = 'latency',
  limit?: SpillLimit
): Encoded<Smt> {
  const analysis = analyse(problem, body, makespan)
  const also = limit && ((context: LogicContext) => addSpill(context, limit))
  return encodeDecision(analysis, ownerShape(analysis), { model, ...(also ? { also } : {}) })
}

/** What a decision model may add to free events and a rule for pairs that the problem orders. */
export type DecisionOptions = {
  /** Transfers of this model are placed; `latency` where absent. */
  readonly model?: CommunicationModel
  /** Whether the rule puts equal microbatches in order at every stage. */
  readonly ascending?: boolean
  /** More groups of constraints, before all others, where every window is open. */
  readonly also?: (context: LogicContext) => void
}

/** Any free events under a given rule for pairs that the problem orders. */
export function encodeDecision(
  given: Analysis,
  fixed: FixedOrder,
  { model = 'latency', ascending = false, also }: DecisionOptions = {}
): Encoded<Smt> {
  const analysis = given.open ? given : withoutWindows(given)
  const { problem } = analysis
  const smt = new SmtBuilder()
  const start = addStarts(analysis, smt)
  const { candidates, own } = addOwners(analysis, smt)
  const context: LogicContext = { analysis, smt, start, candidates, own, ends: new Map(), transfers: new Map() }
  if (analysis.open) {
    also?.(context)
    addTransfers(context, model)
    addReleases(context)
    addPrecedence(context)
    addNoOverlap(context, fixed)
    addMemory(context, rank => ascending && addInFlight(context, rank))
  }
  const numInts = smt.numInts
  const rankIn = (values: ArrayLike<number>) => (event: EventId) => {
    const ranks = candidates[event]
    const chosen = ranks.find(rank => values[numInts + (own.get(event * problem.ranks + rank) ?? Number.NaN)] === 1)
    return chosen ?? ranks[0]
  }
  return {
    model: smt.finish(),
    exact: model !== 'link',
    unit: analysis.unit,
    boundTicks: () => undefined,
    decode: values => sequencesByTime(analysis, rankIn(values), values),
    starts: values => Float64Array.from(problem.events, ({ id }) => values[start[id]] * analysis.unit),
    ...(model === 'latency' ? {} : { transferStarts: values => transferTimes(context, rankIn(values), values) })
  }
}

/** The shape of `transpose-full`: which of two events on a rank comes first. */
function ownerShape({ problem, position }: Analysis): FixedOrder {
  const withOwner = new Set(problem.ties.flatMap(({ events }) => events))
  const ascending = (a: EventId, b: EventId) => {
    const [first, second] = [problem.events[a].key, problem.events[b].key]
    // Ids of the chunks of a task ascend in the order in which they run.
    return (first.microbatch - second.microbatch || first.item - second.item || a - b) < 0 ? 'before' : 'after'
  }
  const againstBody = (free: EventId, fixed: EventId) => {
    const { kind, microbatch } = problem.events[free].key
    if (kind === 'E') return 'before'
    if (withOwner.has(free)) return 'after'
    const backward = entryOf(problem, microbatch).backward
    return backward !== undefined && position[fixed] <= position[backward] ? 'after' : 'before'
  }
  const flip = (order: 'before' | 'after') => (order === 'before' ? 'after' : 'before')
  return (a, b) => {
    const [kindA, kindB] = [problem.events[a].key.kind, problem.events[b].key.kind]
    if (position[a] >= 0) return flip(againstBody(b, a))
    if (position[b] >= 0) return againstBody(a, b)
    if (kindA === kindB) return ascending(a, b)
    return kindA === 'E' ? 'before' : 'after'
  }
}
