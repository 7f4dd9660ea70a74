import { maximum } from '../../base/arrays.ts'
import type { Encoded } from '../../encoding/encoded.ts'
import type { Engine } from '../../schedule/certificate.ts'
import type { Schedule } from '../../schedule/problem.ts'
import { serveLinks } from '../../schedule/wire.ts'
import { type Attempted, checkSchedule, checkSequences } from '../point.ts'
import type { Session } from '../session.ts'
import type { Task } from '../task.ts'

/**
 * A solver's point as a checked one: its own times where it has any, else (or where those are no better than the order
 * allows) its order timed again. Returns whether it was legal.
 */
export function offerPoint(
  task: Task,
  session: Session,
  encoded: Encoded,
  values: ArrayLike<number>,
  engine: Engine
): boolean {
  const attempts: Attempted[] = [checkSequences(task, encoded.decode(values))]
  if (attempts[0].kind !== 'point' && encoded.starts)
    attempts.push(timedAttempt(task, encoded, encoded.starts(values), values))
  for (const attempt of attempts) {
    if (attempt.kind !== 'point') continue
    session.offer(attempt.point, engine)
    return true
  }
  return false
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
  const schedule: Schedule =
    problem.communication === 'link' ? { ...timed, transferStart: serveLinks(problem, timed) } : timed
  return checkSchedule(task, schedule)
}
