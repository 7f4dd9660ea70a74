import { groupBy, range } from '../base/arrays.ts'
import type { Tick } from '../schedule/measured.ts'
import type { Edge, Event, EventId, Hold, Point, Problem } from '../schedule/problem.ts'
import type { Encoded } from './encoded.ts'
import type { Smt } from './model/types.ts'
import { areAlike, stepsByPosition, withSequence } from './positions.ts'
import { isStage, renamed } from './renaming.ts'

/**
 * A problem by positions of entry in which encoder work hangs on its own microbatch still: the first stage's forward and
 * backward of each microbatch with encoder work have stand-ins by name, which start when those of the position that it
 * takes do. Where models that count arrivals say too little: encoder backwards, outputs that wait, transfers that queue,
 * stage events whose length depends on who takes the position.
 */
export type Taken = {
  readonly original: Problem
  /** Same events under the same ids by position, then the stand-ins; they occupy nothing. */
  readonly problem: Problem
  /** Microbatches that take a position by name: those with encoder work, or all where their lengths differ. */
  readonly microbatches: readonly number[]
  readonly standIns: readonly StandIn[]
  /** Stage events of unequal length; the problem has the shortest of each. */
  readonly uneven: readonly Uneven[]
}

/** An event that starts with whichever of `positions` (one per position) its microbatch takes. */
export type StandIn = { readonly event: EventId; readonly microbatch: number; readonly positions: readonly EventId[] }

/** One kind of event of a stage by position, and how long each microbatch needs there, in ticks. */
export type Uneven = { readonly positions: readonly EventId[]; readonly ticks: readonly Tick[] }

/**
 * The problem with stand-ins, where one injection order of all stages leaves nothing else by name: microbatches have the
 * same events but for their encoder work, which hangs on the first stage alone. With `lengths`, stage events may take them
 * different times; memory limits are left out then, a relaxation. Undefined elsewhere, and where nothing differs.
 */
export function takenPositions(problem: Problem, lengths: 'equal' | 'any' = 'equal'): Taken | undefined {
  const { events, edges, holds } = problem
  const called = new Set<EventId>()
  for (const { from, to } of edges) {
    if (isEncoder(events[from]) && isStage(events[to])) called.add(to)
    else if (isStage(events[from]) && isEncoder(events[to])) called.add(from)
  }
  const series = groupBy(events.filter(isStage), seriesOf)
  const uneven = [...series.values()].flatMap(list => unevenIn(list) ?? [])
  const own = holds.filter(hold => isStage(events[hold.from.event]) && isStage(events[hold.until.event]))
  const complete = [...series.values()].every(list => list.length === problem.microbatches)
  const alike = areAlike(problem, own, uneven.length === 0)
  if (!complete || !alike || called.size + uneven.length === 0) return undefined
  if (uneven.length > 0 && lengths === 'equal') return undefined
  const standIns = [...called].map((event, index): StandIn => {
    const positions = series.get(seriesOf(events[event]))?.map(({ id }) => id) ?? []
    return { event: events.length + index, microbatch: events[event].key.microbatch, positions }
  })
  const named = new Set(standIns.map(standIn => standIn.microbatch))
  return {
    original: problem,
    problem: shortest(withStandIns(problem, [...called], standIns), uneven),
    microbatches: range(problem.microbatches).filter(m => uneven.length > 0 || named.has(m)),
    standIns,
    uneven
  }
}

/** The events of one series where they take microbatches different times; one per microbatch, ascending. */
function unevenIn(list: readonly Event[]): Uneven | undefined {
  const ticks = list.map(({ modes }) => modes[0].duration)
  return ticks.every(one => one === ticks[0]) ? undefined : { positions: list.map(({ id }) => id), ticks }
}

/** Stage events of unequal length take the shortest; what is held until they end is left out. */
function shortest(problem: Problem, uneven: readonly Uneven[]): Problem {
  if (uneven.length === 0) return problem
  const least = new Map(
    uneven.flatMap(({ positions, ticks }) => positions.map(id => [id, Math.min(...ticks)] as const))
  )
  const events = problem.events.map(event => {
    const duration = least.get(event.id)
    return duration === undefined ? event : { ...event, modes: event.modes.map(mode => ({ ...mode, duration })) }
  })
  return { ...problem, events, holds: [] }
}

function isEncoder({ key }: Event): boolean {
  return key.kind === 'E' || key.kind === 'EB'
}

/** What the events of one stage and kind have in common. */
function seriesOf({ key }: Event): string {
  return [key.kind, key.stage, key.replica].join()
}

/** Encoder work hangs on the stand-ins; they lie between what precedes the first position and what follows the last. */
function withStandIns(problem: Problem, called: readonly EventId[], standIns: readonly StandIn[]): Problem {
  const { events, microbatches } = problem
  const standInOf = new Map(called.map((event, index) => [event, standIns[index].event]))
  const named = (event: EventId) => standInOf.get(event) ?? event
  const crosses = (from: EventId, to: EventId) => isEncoder(events[from]) || isEncoder(events[to])
  const kept = problem.edges.map(
    (edge): Edge => (crosses(edge.from, edge.to) ? { ...edge, from: named(edge.from), to: named(edge.to) } : edge)
  )
  const stages = problem.edges.filter(edge => isStage(events[edge.from]) && isStage(events[edge.to]))
  const around = standIns.flatMap(({ event, positions }) => [
    ...stages.filter(({ to }) => to === positions[0]).map(({ from }) => [from, event] as const),
    ...stages.filter(({ from }) => from === positions[positions.length - 1]).map(({ to }) => [event, to] as const)
  ])
  const point = (given: Point): Point => ({ ...given, event: named(given.event) })
  const holds = problem.holds.map(
    (hold): Hold =>
      crosses(hold.from.event, hold.until.event) ? { ...hold, from: point(hold.from), until: point(hold.until) } : hold
  )
  const added = called.map((event, index): Event => {
    // A second item: whoever looks for the stage's own event passes it over.
    return { ...events[event], id: standIns[index].event, key: { ...events[event].key, item: 1 }, occupies: false }
  })
  const edges = withSequence(kept, [...stepsByPosition(problem), ...around])
  return { ...problem, events: [...events, ...added], edges, holds, symmetric: [range(microbatches)] }
}

/** A model of it with the way back to the original's names; `takes`: per microbatch, one Boolean per position. */
export function namedByTaken(
  { original }: Taken,
  encoded: Encoded<Smt>,
  takes: ReadonlyMap<number, readonly number[]>
): Encoded<Smt> {
  const numInts = encoded.model.ints.length
  return renamed(original, encoded, values => {
    const at = new Map([...takes].map(([m, booleans]) => [booleans.findIndex(bool => values[numInts + bool] === 1), m]))
    const others = range(original.microbatches).filter(m => !takes.has(m))
    return range(original.microbatches).map(position => at.get(position) ?? (others.shift() as number))
  })
}
