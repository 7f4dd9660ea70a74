import type { Tick } from '../../schedule/measured.ts'
import type { EventId, Problem, Sequences } from '../../schedule/problem.ts'
import type { OrderState } from './order-state.ts'

/** A place in a rank's list and the longest path that an event put there would lie on. */
export type Place = { readonly rank: number; readonly after: number; readonly path: Tick }

/** One encoder task: its forward, its backward if any, and the stage events that they feed and wait for. */
export type EncoderTask = {
  readonly microbatch: number
  readonly encode: EventId
  readonly backward?: EventId
  /** F(first stage, m); absent where there is no backbone. */
  readonly feeds?: EventId
  /** What releases the backward: B(first stage, m). */
  readonly releasedBy?: EventId
  readonly gather: number
  readonly scatter: number
}

/** The encoder tasks of a problem in the order in which the body needs them; by microbatch where no body is given. */
export function encoderTasks(problem: Problem, body: Sequences = []): EncoderTask[] {
  const tasks = new Map<number, EncoderTask>()
  for (const { id, key } of problem.events) {
    if (key.kind === 'E') tasks.set(key.microbatch, { microbatch: key.microbatch, encode: id, gather: -1, scatter: -1 })
  }
  for (const { id, key } of problem.events) {
    const task = tasks.get(key.microbatch)
    if (key.kind === 'EB' && task) tasks.set(key.microbatch, { ...task, backward: id })
  }
  for (const edge of problem.edges) {
    const [from, to] = [problem.events[edge.from].key, problem.events[edge.to].key]
    const task = tasks.get(from.microbatch)
    if (!task) continue
    if (from.kind === 'E' && to.kind === 'F') tasks.set(from.microbatch, { ...task, feeds: edge.to, gather: edge.lag })
    if (to.kind === 'EB' && from.kind !== 'E')
      tasks.set(from.microbatch, { ...task, releasedBy: edge.from, scatter: edge.lag })
  }
  const needed = new Map(body.flatMap(sequence => sequence.map((event, position) => [event, position] as const)))
  const position = ({ feeds }: EncoderTask) => (feeds === undefined ? -1 : (needed.get(feeds) ?? -1))
  return [...tasks.values()].sort((a, b) => position(a) - position(b))
}

/**
 * Every place where an encode may go without waiting for itself, on any rank, with the exact longest path through it
 * (heads and tails must be fresh). `visit` sees them in list order.
 */
export function visitEncodePlaces(
  state: OrderState,
  task: EncoderTask,
  visit: (rank: number, after: number, path: Tick) => void
): void {
  const { head, tail, next, problem } = state
  const { numEvents } = state.graph
  const fed = task.feeds
  const fedRank = fed === undefined ? 0 : state.rankOf[fed]
  const fedEnd = fed === undefined ? Number.POSITIVE_INFINITY : head[fed] + state.durationOn(fed, fedRank)
  for (let rank = 0; rank < problem.ranks; rank++) {
    const duration = state.durationOn(task.encode, rank)
    if (Number.isNaN(duration)) continue
    const release = state.releaseOn(task.encode, rank)
    const feedTail = fed === undefined ? 0 : tail[fed] + lagBetween(state, task.gather, rank, fedRank)
    let after = state.endOf(rank)
    let ready = release
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

/** Every place on one rank where an encoder backward may go, with the exact longest path through it, last place first. */
export function visitBackwardPlaces(
  state: OrderState,
  task: EncoderTask,
  rank: number,
  visit: (after: number, path: Tick) => void
): void {
  const backward = task.backward as EventId
  const { head, tail, previous } = state
  const { numEvents } = state.graph
  const duration = state.durationOn(backward, rank)
  const gate = task.releasedBy ?? task.encode
  const gateRank = state.rankOf[gate]
  const release = head[gate] + state.durationOn(gate, gateRank) + lagBetween(state, task.scatter, gateRank, rank)
  const reduceTail = reduceAfter(state, backward)
  let following = state.endOf(rank)
  while (true) {
    const after = previous[following]
    const finish = after < numEvents ? head[after] + state.durationOn(after, rank) : 0
    const ready = Math.max(finish, release)
    const rest = following < numEvents && tail[following] > reduceTail ? tail[following] : reduceTail
    visit(after, ready + duration + rest)
    // Before its own release the backward would hold up what it waits for.
    if (after >= numEvents || finish <= head[gate] || after === gate) break
    following = after
  }
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
