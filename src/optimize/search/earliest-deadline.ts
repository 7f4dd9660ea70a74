import { sum } from '../../base/arrays.ts'
import type { Frame } from '../../bounds/frame.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../../schedule/problem.ts'
import { type EncoderTask, encoderTasks } from './insertion.ts'
import { OrderState } from './order-state.ts'
import { type Piece, type RankRoom, roomsOf } from './rank-room.ts'

/** Where an encode (or a chunk of it) is put in one trial: its rank and start. */
type Placement = { readonly event: EventId; readonly rank: number; readonly start: Tick }

/** Which ranks an encode may go to: where it meets its deadline, or where its backward meets the horizon too. */
export type Owners = 'any' | 'with-backward'

/**
 * Encodes by earliest deadline into the idle windows of the latest-start body, with bisection on the makespan; then each
 * encoder backward to the first place in its owner's order that its release and the horizon allow. `bound` is a proven
 * lower bound.
 */
export function earliestDeadline(
  problem: Problem,
  body: Sequences,
  frame: Frame,
  bound: Tick,
  owners: Owners = 'any'
): Sequences {
  const tasks = encoderTasks(problem, body)
  const placed = bisect({ problem, frame, tasks, owners }, bound)
  const forwards = withEncodes(body, frame, placed)
  if (tasks.every(task => task.backwards.length === 0)) return forwards
  return withBackwards(new OrderState(problem, forwards), tasks, placed.horizon)
}

/** Encodes to place around a body that never changes. */
type Filling = {
  readonly problem: Problem
  readonly frame: Frame
  readonly tasks: readonly EncoderTask[]
  readonly owners: Owners
}

/** Least horizon, between the bound and the total of all work, at which every encode finds a window. */
function bisect(filling: Filling, bound: Tick): PlacementSet {
  let low = bound
  const first = fill(filling, low)
  if (first) return first
  let span = Math.max(1, Math.ceil(bound / 64))
  let found = fill(filling, low + span)
  while (!found) {
    low += span
    span *= 2
    found = fill(filling, low + span)
  }
  let high = low + span
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    const trial = fill(filling, middle)
    if (trial) [found, high] = [trial, middle]
    else low = middle
  }
  return found
}

/** Placements with the horizon that they were found for. */
type PlacementSet = { readonly horizon: Tick; readonly placements: readonly Placement[] }

/**
 * Places all encodes at one horizon, each in the window where it ends earliest; undefined where one misses its deadline.
 * Those that one rank alone can own come first.
 */
function fill(filling: Filling, horizon: Tick): PlacementSet | undefined {
  const { problem, frame, tasks, owners } = filling
  const windows = frame.body.map(sequence => idleWindows(frame, sequence, horizon))
  const cursor = windows.map(() => 0)
  const rooms = owners === 'with-backward' ? roomsOf(problem, frame.body, frame, horizon) : undefined
  const placements: Placement[] = []
  for (const task of rooms ? forcedFirst(filling, horizon) : tasks) {
    let best: Choice | undefined
    for (const { rank, release, duration } of problem.events[task.encodes[0]].modes) {
      const fit = firstFit(windows[rank], cursor[rank], release, duration)
      const rest = fit && laterChunks(problem, task, windows[rank], fit, rank)
      const end = rest && (rest[rest.length - 1] ?? fit).end
      if (!rest || end === undefined || end > deadline(problem, frame, task, rank, horizon)) continue
      if (best && end >= best.end) continue
      const backward = rooms && backwardPiece(problem, frame, task, rank, horizon)
      const at = backward && rooms[rank].find(backward)
      if (!backward || at !== undefined)
        best = { rank, fit, rest, end, ...(backward ? { backward: [at as number, backward] } : {}) }
    }
    if (!best) return undefined
    const { rank } = best
    for (const [chunk, { index, start, end }] of [best.fit, ...best.rest].entries()) {
      windows[rank][index * 2] = end
      placements.push({ event: task.encodes[chunk], rank, start })
    }
    while (cursor[rank] * 2 < windows[rank].length && isSpent(windows[rank], cursor[rank])) cursor[rank]++
    if (best.backward) rooms?.[rank].take(best.backward[0], task.backwards[0], best.backward[1])
  }
  return { horizon, placements }
}

/** An owner, where its encodes go, and the position that its backwards (as one piece) take where they count. */
type Choice = {
  readonly rank: number
  readonly fit: Fit
  readonly rest: readonly Fit[]
  readonly end: Tick
  readonly backward?: readonly [at: number, piece: Piece]
}

/** The backwards of a task as one piece of work for its owner; undefined where they do not follow the owner. */
function backwardPiece(
  problem: Problem,
  { head, tail, duration }: Frame,
  { backwards, releasedBy, scatter }: EncoderTask,
  rank: number,
  horizon: Tick
): Piece | undefined {
  if (backwards.length === 0 || releasedBy === undefined) return undefined
  if (problem.events[backwards[0]].modes.length === 1) return undefined
  const from = problem.events[releasedBy].modes[0].rank
  const lag = scatter < 0 ? 0 : problem.lags[scatter][from * problem.ranks + rank]
  let ticks = 0
  for (const event of backwards) ticks += duration[event]
  return {
    release: head[releasedBy] + duration[releasedBy] + lag,
    duration: ticks,
    latest: horizon - tail[backwards[0]]
  }
}

/** The tasks, those before others whose encode or backward is too late on all ranks but one. */
function forcedFirst({ problem, frame, tasks }: Filling, horizon: Tick): readonly EncoderTask[] {
  const isForced = (task: EncoderTask): boolean => {
    const able = problem.events[task.encodes[0]].modes.filter(({ rank, release, duration }) => {
      if (release + duration > deadline(problem, frame, task, rank, horizon)) return false
      const backward = backwardPiece(problem, frame, task, rank, horizon)
      return !backward || backward.release <= backward.latest
    })
    return able.length === 1
  }
  const forced = tasks.filter(isForced)
  return forced.length === 0 ? tasks : [...forced, ...tasks.filter(task => !forced.includes(task))]
}

/** Where the chunks behind the first fit on its rank, one after the other; undefined where one does not. */
function laterChunks(
  problem: Problem,
  { encodes }: EncoderTask,
  windows: Float64Array,
  first: Fit,
  rank: number
): readonly Fit[] | undefined {
  if (encodes.length === 1) return NONE
  const fits: Fit[] = []
  let last = first
  for (const event of encodes.slice(1)) {
    const duration = problem.events[event].modes.find(mode => mode.rank === rank)?.duration ?? 0
    const fit = firstFit(windows, last.index, last.end, duration)
    if (!fit) return undefined
    fits.push(fit)
    last = fit
  }
  return fits
}

const NONE: readonly Fit[] = []

function isSpent(windows: Float64Array, index: number): boolean {
  return windows[index * 2] >= windows[index * 2 + 1]
}

/** Latest end of an encode on a rank so that its forward can still start in time. */
function deadline(problem: Problem, frame: Frame, task: EncoderTask, rank: number, horizon: Tick): Tick {
  if (task.feeds === undefined) return horizon
  const to = problem.events[task.feeds].modes[0].rank
  const lag = task.gather < 0 ? 0 : problem.lags[task.gather][rank * problem.ranks + to]
  return horizon - frame.tail[task.feeds] - lag
}

/** Idle windows of one rank when its body runs as late as the horizon allows, as [start, end] pairs. */
function idleWindows(frame: Frame, sequence: readonly EventId[], horizon: Tick): Float64Array {
  const windows: number[] = []
  let free = 0
  for (const event of sequence) {
    const start = horizon - frame.tail[event]
    if (start > free) windows.push(free, start)
    free = start + frame.duration[event]
  }
  if (horizon > free) windows.push(free, horizon)
  return Float64Array.from(windows)
}

/** A stretch of a window, by the window's index. */
type Fit = { readonly index: number; readonly start: Tick; readonly end: Tick }

function firstFit(windows: Float64Array, from: number, release: Tick, duration: Tick): Fit | undefined {
  for (let index = from; index * 2 < windows.length; index++) {
    const start = Math.max(windows[index * 2], release)
    if (start + duration <= windows[index * 2 + 1]) return { index, start, end: start + duration }
  }
  return undefined
}

/** Merges the placed encodes into the body, by time. */
function withEncodes(body: Sequences, frame: Frame, { horizon, placements }: PlacementSet): Sequences {
  return body.map((sequence, rank) => {
    const mine = placements.filter(p => p.rank === rank).sort((a, b) => a.start - b.start)
    const merged: EventId[] = []
    let next = 0
    for (const event of sequence) {
      while (next < mine.length && mine[next].start < horizon - frame.tail[event]) merged.push(mine[next++].event)
      merged.push(event)
    }
    return [...merged, ...mine.slice(next).map(p => p.event)]
  })
}

/**
 * Adds the encoder backwards to an order without them, those released first before others: each to the first place in its
 * rank's order where it ends by the horizon and delays nothing beyond it, else behind everything.
 */
function withBackwards(state: OrderState, tasks: readonly EncoderTask[], horizon: Tick): Sequences {
  const rooms = roomsOf(state.problem, state.sequences(), state, horizon)
  const released = tasks
    .filter(task => task.backwards.length > 0)
    .sort((a, b) => state.head[gateOf(a)] - state.head[gateOf(b)])
  const late: EventId[][] = rooms.map(() => [])
  for (const task of released) {
    const { rank, release } = releaseOf(state, rooms, task)
    const durations = task.backwards.map(event => state.durationOn(event, rank))
    let [ready, rest] = [release, sum(durations)]
    for (const [index, event] of task.backwards.entries()) {
      const piece = { release: ready, duration: durations[index], latest: horizon - rest }
      rest -= piece.duration
      const at = ready < Number.POSITIVE_INFINITY ? rooms[rank].find(piece) : undefined
      if (at === undefined) late[rank].push(event)
      ready = at === undefined ? Number.POSITIVE_INFINITY : rooms[rank].take(at, event, piece)
    }
  }
  return rooms.map((room, rank) => [...room.sequence(), ...late[rank]])
}

/** What releases a task's backwards: the first stage's, or the encode where there is no backbone. */
function gateOf({ releasedBy, encodes }: EncoderTask): EventId {
  return releasedBy ?? encodes[encodes.length - 1]
}

/** Rank of a task's backwards, and the tick at which the first of them may start there as things stand. */
function releaseOf({ problem, rankOf }: OrderState, rooms: readonly RankRoom[], task: EncoderTask) {
  const { modes } = problem.events[task.backwards[0]]
  const rank = modes.length > 1 ? rankOf[task.encodes[0]] : modes[0].rank
  const gate = gateOf(task)
  const from = rankOf[gate]
  const lag = task.scatter < 0 ? 0 : problem.lags[task.scatter][from * problem.ranks + rank]
  return { rank, release: rooms[from].endOf(gate) + lag }
}
