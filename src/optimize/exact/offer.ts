import { maximum } from '../../base/arrays.ts'
import type { Encoded } from '../../encoding/encoded.ts'
import type { Engine } from '../../schedule/certificate.ts'
import { compactBlocking } from '../../schedule/compact.ts'
import { fitsMemory } from '../../schedule/memory.ts'
import type { Problem, Schedule } from '../../schedule/problem.ts'
import { serveLinks } from '../../schedule/wire.ts'
import { type Attempted, checkSchedule, checkSequences } from '../point.ts'
import type { Session } from '../session.ts'
import type { Task } from '../task.ts'

/**
 * A solver's point as a checked one: its own times where it has any, else (or where those are no better than the order
 * allows) its order timed again. Returns whether it was legal.
 */
export function offerPoint(
  given: Task,
  session: Session,
  encoded: Encoded,
  values: ArrayLike<number>,
  engine: Engine
): boolean {
  const sequences = encoded.decode(values)
  const task = given.ofOrder?.(sequences) ?? given
  const attempts: Attempted[] = [checkSequences(task, sequences)]
  const placesTransfers = encoded.transferStarts !== undefined
  if ((attempts[0].kind !== 'point' || placesTransfers) && encoded.starts)
    attempts.push(timedAttempt(task, encoded, encoded.starts(values), values))
  const points = attempts.flatMap(attempt => (attempt.kind === 'point' ? [attempt.point] : []))
  for (const point of points) session.offer(point, engine)
  return points.length > 0
}

function timedAttempt(task: Task, encoded: Encoded, start: Float64Array, values: ArrayLike<number>): Attempted {
  const { problem } = task
  const sequences = encoded.decode(values)
  const rankOf = Int32Array.from(problem.events, event => event.modes[0].rank)
  for (const [rank, sequence] of sequences.entries()) for (const event of sequence) rankOf[event] = rank
  const ends = problem.events.map(
    ({ id, modes }) => start[id] + (modes.find(mode => mode.rank === rankOf[id])?.duration ?? 0)
  )
  const timed = { sequences, rankOf, start, makespan: maximum(ends) }
  return checkSchedule(task, withTransfers(problem, timed, encoded, values))
}

/** Adds the transfers of a timed point: a link's follow from the compute; blocking ones are the model's, moved up. */
function withTransfers(
  problem: Problem,
  timed: Schedule,
  { transferStarts }: Encoded,
  values: ArrayLike<number>
): Schedule {
  if (problem.communication === 'link') return { ...timed, transferStart: serveLinks(problem, timed) }
  if (problem.communication === 'latency' || !transferStarts) return timed
  const stated = { ...timed, transferStart: transferStarts(values) }
  const compact = compactBlocking(problem, stated)
  return fitsMemory(problem, compact) ? compact : stated
}
