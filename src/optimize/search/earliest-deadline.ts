import type { Frame } from '../../bounds/frame.ts'
import type { Tick } from '../../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../../schedule/problem.ts'
import { type EncoderTask, encoderTasks } from './insertion.ts'
import { OrderState } from './order-state.ts'

/** Where an encode (or a chunk of it) is put in one trial: its rank and start. */
type Placement = { readonly event: EventId; readonly rank: number; readonly start: Tick }

/**
 * Encodes by earliest deadline into the idle windows of the latest-start body, with bisection on the makespan; then each
 * encoder backward into the first idle window of its owner that its release allows. `bound` is a proven lower bound.
 */
export function earliestDeadline(problem: Problem, body: Sequences, frame: Frame, bound: Tick): Sequences {
  const tasks = encoderTasks(problem, body)
  const placements = bisect(problem, frame, tasks, bound)
  const forwards = withEncodes(body, frame, placements)
  if (tasks.every(task => task.backwards.length === 0)) return forwards
  return withBackwards(new OrderState(problem, forwards), tasks)
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
    let best:
      | { readonly rank: number; readonly fit: Fit; readonly rest: readonly Fit[]; readonly end: Tick }
      | undefined
    for (const { rank, release, duration } of problem.events[task.encodes[0]].modes) {
      const fit = firstFit(windows[rank], cursor[rank], release, duration)
      const rest = fit && laterChunks(problem, task, windows[rank], fit, rank)
      const end = rest && (rest[rest.length - 1] ?? fit).end
      if (
        rest &&
        end !== undefined &&
        end <= deadline(problem, frame, task, rank, horizon) &&
        (!best || end < best.end)
      )
        best = { rank, fit, rest, end }
    }
    if (!best) return undefined
    for (const [chunk, { index, start, end }] of [best.fit, ...best.rest].entries()) {
      windows[best.rank][index * 2] = end
      placements.push({ event: task.encodes[chunk], rank: best.rank, start })
    }
    while (cursor[best.rank] * 2 < windows[best.rank].length && isSpent(windows[best.rank], cursor[best.rank]))
      cursor[best.rank]++
  }
  return { horizon, placements }
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
 * Adds the encoder backwards to an order without them: by release, each into the first idle stretch of its rank that is
 * long enough, else behind everything.
 */
function withBackwards(state: OrderState, tasks: readonly EncoderTask[]): Sequences {
  const { problem, head } = state
  const order = state.sequences()
  const pending = order.map(() => [] as { event: EventId; release: Tick; duration: Tick }[])
  for (const task of tasks) {
    if (task.backwards.length === 0) continue
    const { modes } = problem.events[task.backwards[0]]
    const rank = modes.length > 1 ? state.rankOf[task.encodes[0]] : modes[0].rank
    const gate = task.releasedBy ?? task.encodes[task.encodes.length - 1]
    const from = state.rankOf[gate]
    const lag = task.scatter < 0 ? 0 : problem.lags[task.scatter][from * problem.ranks + rank]
    let release = head[gate] + state.durationOn(gate, from) + lag
    for (const event of task.backwards) {
      const duration = state.durationOn(event, rank)
      pending[rank].push({ event, release, duration })
      release += duration
    }
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
