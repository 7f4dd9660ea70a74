import { randomFrom } from '../base/random.ts'
import { frameOf } from '../bounds/frame.ts'
import { FAMILIES } from '../heuristics/index.ts'
import type { Problem, Sequences } from '../schedule/problem.ts'
import { checkSequences, describeAttempt } from './point.ts'
import { earliestDeadline, type Owners } from './search/earliest-deadline.ts'
import { placeTask } from './search/greedy.ts'
import { encoderTasks } from './search/insertion.ts'
import { OrderState } from './search/order-state.ts'
import type { Session } from './session.ts'
import type { Task } from './task.ts'

/** Above this many events times encoder tasks, building an order by insertion costs more than it wins. */
const INSERTION_LIMIT = 5_000_000

/** Orders that need no search: families that share the body, earliest deadline, insertion. Stops once one is proved best. */
export function construct(task: Task, session: Session): void {
  for (const { by, sequences } of placementCandidates(task, session)) {
    const from = session.host.now()
    const attempt = checkSequences(task, sequences())
    if (attempt.kind === 'point') session.offer(attempt.point, { name: by, version: '' })
    session.note(by, describeAttempt(attempt), from)
    if (session.isOver()) return
  }
}

/** An order by name, built when asked for. */
export type Candidate = { readonly by: string; readonly sequences: () => Sequences }

/** Orders of a placement task that need no search, most promising first; a family is applied when its turn comes. */
export function* placementCandidates(task: Task, session: Session): Generator<Candidate> {
  const { measured, problem, body } = task
  const numTasks = problem.events.filter(event => event.key.kind === 'E').length
  if (numTasks === 0) {
    yield { by: 'body order', sequences: () => body }
    return
  }
  const byDeadline = (owners: Owners) =>
    earliestDeadline(problem, body, frameOf(problem, body), session.lowerBound, owners)
  if (problem.events.some(({ key, modes }) => key.kind === 'EB' && modes.length > 1))
    yield { by: 'earliest-deadline, both ways', sequences: () => byDeadline('with-backward') }
  yield { by: 'earliest-deadline', sequences: () => byDeadline('any') }
  for (const family of FAMILIES.filter(({ id }) => id.startsWith('transpose-'))) {
    const order = family.apply(measured)
    // Same instance, same event ids: the family's order is an order of this problem.
    if (order.kind === 'order' && order.measured === measured) yield { by: family.id, sequences: () => order.sequences }
  }
  if (problem.events.length * numTasks <= INSERTION_LIMIT)
    yield { by: 'insertion', sequences: () => byInsertion(problem, body, session.options.seed) }
}

/** Builds an order by putting each encoder task where the path through it is least. */
function byInsertion(problem: Problem, body: Sequences, seed: number): Sequences {
  const random = randomFrom(seed)
  const state = new OrderState(problem, body)
  for (const task of encoderTasks(problem, body)) placeTask(state, task, random)
  return state.sequences()
}
