import { range, sum } from '../base/arrays.ts'
import type { Tick } from '../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../schedule/problem.ts'
import { type Analysis, analyse, entryOf } from './analysis.ts'
import { boundTicksOf, type Encoded } from './encoded.ts'
import { addAssignment, addChunkOrder, addTies } from './groups/slots/assignment.ts'
import { addChains } from './groups/slots/chains.ts'
import { type Gap, isMixed, type SlotContext, type Task } from './groups/slots/context.ts'
import { type Allowed, Lines, type Rounds } from './groups/slots/lines.ts'
import { addMemory, encodesAlike } from './groups/slots/memory.ts'
import { addBackwardPrecedence, addBodyPrecedence, addEncodePrecedence } from './groups/slots/precedence.ts'
import { addReductions } from './groups/slots/reductions.ts'
import { addReleases } from './groups/slots/release.ts'
import { slotValues } from './groups/slots/values.ts'
import { roomOf } from './holds.ts'
import { MilpBuilder } from './model/builder.ts'
import type { Milp, Variable } from './model/types.ts'

/** `alternate`: how often encodes and backwards may alternate in a gap where that matters; default as often as they can. */
export type SlotOptions = { readonly alternate?: number }

/** More alternations than this per gap are left open (a relaxation) unless asked for. */
const DEFAULT_ALTERNATIONS = 4

/**
 * `placement` as a slot model: each rank's body order is fixed, each free event takes one gap of one rank's line.
 * Minimises the makespan, at most `horizon` ticks. Within a gap encodes keep the order in which the body needs them: with
 * one deadline order for all and equal bytes, any other order can be swapped into it.
 */
export function encodePlacementMilp(
  problem: Problem,
  body: Sequences,
  horizon: Tick,
  options: SlotOptions = {}
): Encoded<Milp> {
  return encodeSlots(analyse(problem, body, horizon), () => true, options)
}

/** Any slot model: `allowed` narrows where free events may stand. */
export function encodeSlots(analysis: Analysis, allowed: Allowed, options: SlotOptions = {}): Encoded<Milp> {
  const milp = new MilpBuilder()
  const end = addMakespan(analysis, milp)
  if (!analysis.open) return closed(analysis, milp)
  const lines = new Lines(analysis, milp, end, allowed, roundsOf(analysis, options))
  const context: SlotContext = { analysis, milp, end, start: lines.start, gaps: lines.gaps, slotsOf: lines.slotsOf }
  addAssignment(context)
  addTies(context)
  addChunkOrder(context)
  addChains(context)
  addBodyPrecedence(context)
  addEncodePrecedence(context)
  addBackwardPrecedence(context)
  addReleases(context)
  addReductions(context)
  addMemory(context)
  milp.minimise([[end.start as Variable, 1]])
  return {
    model: milp.finish(),
    exact: isExact(context),
    unit: analysis.unit,
    boundTicks: boundTicksOf(analysis),
    valuesOf: schedule => slotValues(context, schedule),
    decode: values => sequencesOf(context, values)
  }
}

/** Makespan group. Consumes the windows. Creates the makespan variable, between the longest known path and the horizon. */
function addMakespan(analysis: Analysis, milp: MilpBuilder): Task {
  const { head, horizon, problem } = analysis
  const least = Math.max(0, ...problem.events.map(({ id }) => head[id] + analysis.minDuration(id)))
  const start = milp.continuous(Math.min(least, horizon), horizon)
  return { start, duration: 0, head: Math.min(least, horizon), latest: horizon }
}

function closed(analysis: Analysis, milp: MilpBuilder): Encoded<Milp> {
  milp.contradict()
  return {
    model: milp.finish(),
    exact: true,
    unit: analysis.unit,
    boundTicks: boundTicksOf(analysis),
    decode: () => analysis.body
  }
}

/** Alternation matters where memory can bind, where a replica reduction follows, and where a broadcast holds encodes back. */
function roundsOf(analysis: Analysis, { alternate }: SlotOptions): Rounds {
  const binding = range(analysis.problem.ranks).map(rank => memoryMatters(analysis, rank))
  const most = alternate ?? DEFAULT_ALTERNATIONS
  return ({ rank, encodes, backwards, opens }) => {
    const matters =
      binding[rank] ||
      backwards.some(event => hasReduction(analysis, event)) ||
      encodes.some(event => analysis.release(event, rank) > opens)
    if (!matters) return 0
    const needed = Math.min(encodes.length, backwards.length) + 1
    return needed <= most || alternate !== undefined ? Math.min(needed, most) : 0
  }
}

function hasReduction({ outgoing, problem }: Analysis, event: EventId): boolean {
  return outgoing[event].some(edge => !problem.events[edge.to].occupies)
}

/** Whether everything that could ever be on a rank at once would overflow it. */
export function memoryMatters({ problem }: Analysis, rank: number): boolean {
  const room = roomOf(problem, rank)
  if (room === undefined) return false
  const here = problem.holds.filter(({ where }) =>
    'rank' in where ? where.rank === rank : problem.events[where.rankOf].modes.some(mode => mode.rank === rank)
  )
  return sum(here.map(hold => hold.bytes)) > room
}

/**
 * Exact unless something was left open: a mixed gap that matters, memory that a line's order does not tell, or an encoder
 * backward that waits for its encode, with no body between them.
 */
function isExact({ analysis, gaps }: SlotContext): boolean {
  const { problem, incoming, position } = analysis
  const isLoose = (event: EventId) =>
    incoming[event].some(({ channel }) => channel !== 'handoff') &&
    incoming[event].every(({ from }) => position[from] < 0)
  if (analysis.free.some(isLoose)) return false
  const rounds = roundsOf(analysis, { alternate: Number.POSITIVE_INFINITY })
  const matters = (gap: Gap) => {
    const [encodes, backwards] = [gap.encodes.map(slot => slot.event), gap.backwards.map(slot => slot.event)]
    const opens = gap.previous.head + gap.previous.duration
    return rounds({ rank: gap.rank, encodes, backwards, opens }) > 0
  }
  if (gaps.flat().some(gap => isMixed(gap) && matters(gap))) return false
  return range(problem.ranks).every(rank => !memoryMatters(analysis, rank) || orderTellsMemory(analysis, rank))
}

function orderTellsMemory({ problem, body, minDuration }: Analysis, rank: number): boolean {
  const outputs = problem.holds.some(hold => hold.from.at === 'end' || hold.until.at === 'start')
  const bytes = problem.holds.map(hold => hold.bytes)
  const wide = bytes.length > 0 && Math.max(...bytes) > 1_000 * Math.min(...bytes)
  return !outputs && !wide && encodesAlike(problem) && (body[rank] ?? []).every(event => minDuration(event) > 0)
}

/** Per rank: each gap's encodes and backwards, then the task behind it. In a mixed gap backwards wait until encodes ran. */
function sequencesOf({ analysis, gaps }: SlotContext, values: ArrayLike<number>): Sequences {
  const used = ({ variable }: { readonly variable: Variable }) => values[variable] > 0.5
  return gaps.map((line, rank) =>
    line.flatMap((gap, index) => {
      const inside = [...gap.encodes, ...gap.backwards].filter(used).map(slot => slot.event)
      const last = index + 1 === line.length || line[index + 1].place > gap.place
      const task = analysis.body[rank]?.[gap.place]
      return last && task !== undefined ? [...inside, task] : inside
    })
  )
}

/** The shape of `transpose-full`: E before the body, EB after it (`owner`), or directly after B of the first stage (`first-rank`). */
export function ownerShape(analysis: Analysis): Allowed {
  const { problem, position, body } = analysis
  const withOwner = new Set(problem.ties.flatMap(({ events }) => events))
  return (event, rank, place) => {
    const { kind, microbatch } = problem.events[event].key
    const length = body[rank]?.length ?? 0
    if (kind === 'E') return place === 0
    if (withOwner.has(event)) return place === length
    const backward = entryOf(problem, microbatch).backward
    return backward === undefined ? place === length : place === position[backward] + 1
  }
}
