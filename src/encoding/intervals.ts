import { maximum } from '../base/arrays.ts'
import type { Tick } from '../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../schedule/problem.ts'
import { type Analysis, analyse, withoutWindows } from './analysis.ts'
import { type Encoded, sequencesByTime } from './encoded.ts'
import { addArrivals } from './groups/intervals/arrivals.ts'
import { addOwners } from './groups/intervals/assignment.ts'
import { type IntervalContext, rankIn } from './groups/intervals/context.ts'
import { addMemory } from './groups/intervals/memory.ts'
import { addNoOverlap } from './groups/intervals/no-overlap.ts'
import { addPrecedence } from './groups/intervals/precedence.ts'
import type { FixedOrder } from './groups/logic/no-overlap.ts'
import { freeBody, interchangeable } from './joint-smt.ts'
import { CpBuilder } from './model/builder.ts'
import type { Cp } from './model/types.ts'
import { analyseByPosition, named, type Positions, positionsOf } from './positions.ts'
import { alikeAscending, namesAscending, type Timed, timedIn } from './timed.ts'

/** `placement` as an interval model, exact, memory included. Minimises the makespan, at most `horizon` ticks. */
export function encodePlacementCp(problem: Problem, body: Sequences, horizon: Tick): Encoded<Cp> {
  return encodeIntervals(analyse(problem, body, horizon), { fixed: () => undefined, toModel: timed => timed })
}

/** `joint` as an interval model: no order is fixed. Interchangeable microbatches enter in ascending order. */
export function encodeJointCp(problem: Problem, horizon: Tick): Encoded<Cp> {
  const positions = positionsOf(problem)
  if (positions) {
    const analysis = analyseByPosition(positions, freeBody(problem), horizon)
    const fixed = interchangeable(positions.problem, true)
    return named(positions, encodeIntervals(analysis, { fixed, ...byPosition(positions) }))
  }
  const trade = problem.ties.length === 0 ? 'parts' : 'whole'
  return encodeIntervals(analyse(problem, freeBody(problem), horizon), {
    fixed: interchangeable(problem),
    toModel: timed => namesAscending(problem, timed, trade)
  })
}

/** `reorder` as an interval model, by positions of entry. */
export function encodeReorderCp(positions: Positions, body: Sequences, horizon: Tick): Encoded<Cp> {
  const analysis = analyseByPosition(positions, body, horizon)
  return named(positions, encodeIntervals(analysis, { fixed: () => undefined, ...byPosition(positions) }))
}

/** What tells interval models apart. */
type Names = {
  readonly fixed: FixedOrder
  readonly positions?: Positions
  /** A schedule of the problem under the names that the model has for its events. */
  readonly toModel: (timed: Timed) => Timed
}

function byPosition(positions: Positions): Pick<Names, 'positions' | 'toModel'> {
  const { original, problem } = positions
  return {
    positions,
    toModel: timed => namesAscending(problem, namesAscending(original, timed, 'parts'), 'stages')
  }
}

function encodeIntervals(given: Analysis, { fixed, positions, toModel }: Names): Encoded<Cp> {
  const analysis = given.open ? given : withoutWindows(given)
  const { problem } = analysis
  const cp = new CpBuilder()
  const context = startContext(analysis, cp)
  if (analysis.open) {
    addPrecedence(context)
    if (positions) addArrivals(context, positions)
    addNoOverlap(context, fixed)
    addMemory(context)
  } else cp.add({ kind: 'or', literals: [] })
  addMakespan(context)
  return {
    model: cp.finish(),
    exact: true,
    unit: analysis.unit,
    boundTicks: claimed => (Number.isFinite(claimed) ? Math.ceil(claimed - 1e-4) * analysis.unit : undefined),
    decode: values =>
      sequencesByTime(
        analysis,
        event => rankIn(context, values, event),
        problem.events.map(({ id }) => values[context.start[id]])
      ),
    valuesOf: schedule => valuesOf(context, toModel(timedIn(analysis, schedule))),
    starts: values => Float64Array.from(problem.events, ({ id }) => values[context.start[id]] * analysis.unit)
  }
}

/** Starts, owners, and what follows from them; undefined where an event runs on a rank that its windows close. */
function valuesOf({ analysis, cp, start, candidates, own }: IntervalContext, timed: Timed): Float64Array | undefined {
  if (candidates.some((ranks, event) => !ranks.includes(timed.rankOf[event]))) return undefined
  const { ranks } = analysis.problem
  const ascending = alikeAscending(analysis, timed)
  const starts = start.map((variable, event) => [variable, ascending.start[event]] as const)
  const owners = [...own].map(([at, { variable }]) => {
    return [variable, timed.rankOf[Math.floor(at / ranks)] === at % ranks ? 1 : 0] as const
  })
  return cp.complete(new Map([...starts, ...owners]))
}

/** Start and end of every event in its window. */
function startContext(analysis: Analysis, cp: CpBuilder): IntervalContext {
  const { candidates, own } = addOwners(analysis, cp)
  const start: number[] = []
  const end: number[] = []
  for (const { id, modes } of analysis.problem.events) {
    const [low, high] = [analysis.head[id], Math.max(analysis.head[id], analysis.latest[id])]
    const longest = Math.max(...modes.map(({ duration }) => duration)) / analysis.unit
    start.push(cp.int(low, high))
    const ends = (values: ArrayLike<number>) =>
      values[start[id]] + analysis.duration(id, rankIn({ analysis, candidates, own }, values, id))
    end.push(cp.int(low + analysis.minDuration(id), high + longest, ends))
  }
  const context: IntervalContext = { analysis, cp, start, end, candidates, own }
  for (const { id } of analysis.problem.events) addLength(context, id)
  return context
}

/** end - start is the length of the event's mode. */
function addLength({ analysis, cp, start, end, candidates, own }: IntervalContext, event: EventId): void {
  const lengths = candidates[event].map(rank => ({ rank, length: analysis.duration(event, rank) }))
  const same = lengths.every(({ length }) => length === lengths[0].length)
  for (const { rank, length } of same ? lengths.slice(0, 1) : lengths) {
    const literal = same ? undefined : own.get(event * analysis.problem.ranks + rank)
    cp.add({
      kind: 'linear',
      terms: [
        [end[event], 1],
        [start[event], -1]
      ],
      lower: length,
      upper: length,
      ...(literal ? { when: [literal] } : {})
    })
  }
}

/** Makespan group. Consumes the ends. Creates the makespan, at or after each, and minimises it. */
function addMakespan({ analysis, cp, end }: IntervalContext): void {
  const latest = (values: ArrayLike<number>) => maximum(end.map(variable => values[variable]))
  const makespan = cp.int(0, analysis.horizon, latest)
  for (const { id } of analysis.problem.events)
    if (analysis.outgoing[id].length === 0 || analysis.position[id] >= 0) cp.after(makespan, end[id], 0)
  cp.minimise([[makespan, 1]])
}
