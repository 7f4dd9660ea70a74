import type { Tick } from '../../schedule/measured.ts'
import type { EventId, EventKey, Problem, Sequences } from '../../schedule/problem.ts'
import type { OrderState } from './order-state.ts'

/** A place in a rank's list and the longest path that an event put there would lie on. */
export type Place = { readonly rank: number; readonly after: number; readonly path: Tick }

/**
 * One encoder task: its forwards (one per chunk, in the order in which they run) and its backwards (likewise, none where
 * it has none), which share a rank, and the stage events that they feed and wait for.
 */
export type EncoderTask = {
  readonly microbatch: number
  readonly encodes: readonly EventId[]
  readonly backwards: readonly EventId[]
  /** F(first stage, m); absent where there is no backbone. */
  readonly feeds?: EventId
  /** What releases the backward: B(first stage, m). */
  readonly releasedBy?: EventId
  readonly gather: number
  readonly scatter: number
}

/** The encoder tasks of a problem in the order in which the body needs them; by microbatch where no body is given. */
export function encoderTasks(problem: Problem, body: Sequences = []): EncoderTask[] {
  const { events } = problem
  const tasks = new Map<number, Writable<EncoderTask>>()
  let items = 1
  for (const { key } of events) if (key.item >= items) items = key.item + 1
  const taskOf = ({ microbatch, item }: EventKey) => tasks.get(microbatch * items + item)
  for (const { id, key } of events) {
    if (key.kind !== 'E') continue
    const task = taskOf(key)
    if (task) task.encodes = [...task.encodes, id]
    else
      tasks.set(key.microbatch * items + key.item, {
        microbatch: key.microbatch,
        encodes: [id],
        backwards: [],
        gather: -1,
        scatter: -1
      })
  }
  for (const { id, key } of events) {
    const task = key.kind === 'EB' ? taskOf(key) : undefined
    if (task) task.backwards = [...task.backwards, id]
  }
  for (const edge of problem.edges) {
    const from = events[edge.from].key
    const to = events[edge.to].key
    if (from.kind === 'E' && to.kind === 'F') {
      const task = taskOf(from)
      if (task) [task.feeds, task.gather] = [edge.to, edge.lag]
    } else if (to.kind === 'EB' && from.kind !== 'E' && from.kind !== 'EB') {
      const task = taskOf(to)
      if (task) [task.releasedBy, task.scatter] = [edge.from, edge.lag]
    }
  }
  const needed = new Int32Array(events.length).fill(-1)
  for (const sequence of body) for (let index = 0; index < sequence.length; index++) needed[sequence[index]] = index
  const position = ({ feeds }: EncoderTask) => (feeds === undefined ? -1 : needed[feeds])
  return [...tasks.values()].sort((a, b) => position(a) - position(b))
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/**
 * Every place where a chunk of an encode may go without waiting for itself, with the exact longest path through it (heads
 * and tails must be fresh; later chunks count as if they followed at once). The first chunk may go to any rank, a later one
 * behind the one before it. `visit` sees them in list order.
 */
export function visitEncodePlaces(
  state: OrderState,
  task: EncoderTask,
  chunk: number,
  visit: (rank: number, after: number, path: Tick) => void
): void {
  const { head, tail, next, problem } = state
  const { numEvents } = state.graph
  const event = task.encodes[chunk]
  const before = chunk === 0 ? -1 : task.encodes[chunk - 1]
  const fed = task.feeds
  const fedRank = fed === undefined ? 0 : state.rankOf[fed]
  const fedEnd = fed === undefined ? Number.POSITIVE_INFINITY : head[fed] + state.durationOn(fed, fedRank)
  const first = before < 0 ? 0 : state.rankOf[before]
  const last = before < 0 ? problem.ranks - 1 : first
  for (let rank = first; rank <= last; rank++) {
    const duration = state.durationOn(event, rank)
    if (Number.isNaN(duration)) continue
    const release = state.releaseOn(event, rank)
    const feedTail =
      restOf(state, task.encodes, chunk, rank) +
      (fed === undefined ? 0 : tail[fed] + lagBetween(state, task.gather, rank, fedRank))
    let after = before < 0 ? state.endOf(rank) : before
    let ready = before < 0 ? release : Math.max(release, head[before] + state.durationOn(before, rank))
    while (true) {
      const following = next[after]
      const rest = following < numEvents && tail[following] > feedTail ? tail[following] : feedTail
      visit(rank, after, ready + duration + rest)
      // Beyond its own forward's end the encode would wait for what waits for it.
      if (following >= numEvents || head[following] >= fedEnd) break
      after = following
      const finish = head[following] + state.durationOn(following, rank)
      ready = Math.max(finish, release)
    }
  }
}

/** Ticks of the chunks of a task that run after one of them. */
function restOf(state: OrderState, chunks: readonly EventId[], chunk: number, rank: number): Tick {
  let ticks = 0
  for (let later = chunk + 1; later < chunks.length; later++) ticks += state.durationOn(chunks[later], rank)
  return ticks
}

/**
 * Every place on one rank where a chunk of an encoder backward may go, with the exact longest path through it, last place
 * first. `chunk` counts in the order in which they run; a later one goes behind the one before it.
 */
export function visitBackwardPlaces(
  state: OrderState,
  task: EncoderTask,
  chunk: number,
  rank: number,
  visit: (after: number, path: Tick) => void
): void {
  const { head, tail, previous } = state
  const { numEvents } = state.graph
  const duration = state.durationOn(task.backwards[chunk], rank)
  const gate = chunk > 0 ? task.backwards[chunk - 1] : (task.releasedBy ?? lastOf(task.encodes))
  const gateRank = state.rankOf[gate]
  const lag = chunk > 0 ? 0 : lagBetween(state, task.scatter, gateRank, rank)
  const release = head[gate] + state.durationOn(gate, gateRank) + lag
  const restTail = restOf(state, task.backwards, chunk, rank) + reduceAfter(state, lastOf(task.backwards))
  let following = state.endOf(rank)
  while (true) {
    const after = previous[following]
    const finish = after < numEvents ? head[after] + state.durationOn(after, rank) : 0
    const ready = Math.max(finish, release)
    const rest = following < numEvents && tail[following] > restTail ? tail[following] : restTail
    visit(after, ready + duration + rest)
    // Before its own release the backward would hold up what it waits for.
    if (after >= numEvents || finish <= head[gate] || after === gate) break
    following = after
  }
}

function lastOf(events: readonly EventId[]): EventId {
  return events[events.length - 1]
}

/** Tail of what follows an encoder backward besides its rank: the replica reduction. */
function reduceAfter(state: OrderState, backward: EventId): Tick {
  const { successorStart, successor } = state.graph
  let rest = 0
  for (let slot = successorStart[backward]; slot < successorStart[backward + 1]; slot++) {
    const tail = state.tail[successor[slot]]
    if (tail > rest) rest = tail
  }
  return rest
}

export function lagBetween(state: OrderState, lag: number, from: number, to: number): Tick {
  return lag < 0 ? 0 : state.problem.lags[lag][from * state.problem.ranks + to]
}
