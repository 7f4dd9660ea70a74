import type { Frame } from '../../bounds/frame.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../../schedule/problem.ts'
import { type EncoderTask, encoderTasks } from './insertion.ts'
import { OrderState } from './order-state.ts'

/** Where an encode is put in one trial: its rank and start. */
type Placement = { readonly event: EventId; readonly rank: number; readonly start: Tick }

/**
 * Encodes by earliest deadline into the idle windows of the latest-start body, with bisection on the makespan; then each
 * encoder backward into the first idle window of its owner that its release allows. `bound` is a proven lower bound.
 */
export function earliestDeadline(problem: Problem, body: Sequences, frame: Frame, bound: Tick): Sequences {
  const tasks = encoderTasks(problem, body)
  const placements = bisect(problem, frame, tasks, bound)
  const state = new OrderState(problem, withEncodes(body, frame, placements))
  return withBackwards(state, tasks)
}

/** Least horizon, between the bound and the total of all work, at which every encode finds a window. */
function bisect(problem: Problem, frame: Frame, tasks: readonly EncoderTask[], bound: Tick): PlacementSet {
  let low = bound
  const first = fill(problem, frame, tasks, low)
  if (first) return first
  let span = Math.max(1, Math.ceil(bound / 64))
  let found = fill(problem, frame, tasks, low + span)
  while (!found) {
    low += span
    span *= 2
    found = fill(problem, frame, tasks, low + span)
  }
  let high = low + span
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    const trial = fill(problem, frame, tasks, middle)
    if (trial) [found, high] = [trial, middle]
    else low = middle
  }
  return found
}

/** Placements with the horizon that they were found for. */
type PlacementSet = { readonly horizon: Tick; readonly placements: readonly Placement[] }

/** Places all encodes at one horizon, each in the window where it ends earliest; undefined where one misses its deadline. */
function fill(problem: Problem, frame: Frame, tasks: readonly EncoderTask[], horizon: Tick): PlacementSet | undefined {
  const windows = frame.body.map(sequence => idleWindows(frame, sequence, horizon))
  const cursor = windows.map(() => 0)
  const placements: Placement[] = []
  for (const task of tasks) {
    let best: { rank: number; index: number; start: Tick; end: Tick } | undefined
    for (const mode of problem.events[task.encode].modes) {
      const place = firstFit(windows[mode.rank], cursor[mode.rank], mode.release, mode.duration)
      if (place && place.end <= deadline(problem, frame, task, mode.rank, horizon) && (!best || place.end < best.end)) {
        best = { ...place, rank: mode.rank }
      }
    }
    if (!best) return undefined
    windows[best.rank][best.index * 2] = best.end
    placements.push({ event: task.encode, rank: best.rank, start: best.start })
    while (cursor[best.rank] * 2 < windows[best.rank].length && isSpent(windows[best.rank], cursor[best.rank]))
      cursor[best.rank]++
  }
  return { horizon, placements }
}

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

function firstFit(
  windows: Float64Array,
  from: number,
  release: Tick,
  duration: Tick
): { index: number; start: Tick; end: Tick } | undefined {
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
 * Adds the encoder backwards to an order without them: by release, each into the first idle stretch of its rank that is
 * long enough, else behind everything.
 */
function withBackwards(state: OrderState, tasks: readonly EncoderTask[]): Sequences {
  const { problem, head } = state
  const order = state.sequences()
  const pending = order.map(() => [] as { event: EventId; release: Tick; duration: Tick }[])
  for (const task of tasks) {
    if (task.backward === undefined) continue
    const { modes } = problem.events[task.backward]
    const rank = modes.length > 1 ? state.rankOf[task.encode] : modes[0].rank
    const gate = task.releasedBy ?? task.encode
    const from = state.rankOf[gate]
    const lag = task.scatter < 0 ? 0 : problem.lags[task.scatter][from * problem.ranks + rank]
    const release = head[gate] + state.durationOn(gate, from) + lag
    pending[rank].push({ event: task.backward, release, duration: state.durationOn(task.backward, rank) })
  }
  return order.map((sequence, rank) => {
    const waiting = pending[rank].sort((a, b) => a.release - b.release)
    const merged: EventId[] = []
    let free = 0
    for (const event of sequence) {
      while (waiting.length > 0 && Math.max(free, waiting[0].release) + waiting[0].duration <= head[event]) {
        const { event: backward, release, duration } = waiting.shift() as (typeof waiting)[number]
        merged.push(backward)
        free = Math.max(free, release) + duration
      }
      merged.push(event)
      free = Math.max(free, head[event] + state.durationOn(event, rank))
    }
    return [...merged, ...waiting.map(w => w.event)]
  })
}
