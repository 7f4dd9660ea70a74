import { randomFrom } from '../base/random.ts'
import { checkSequences, describeAttempt } from './point.ts'
import { changeOwners, ownerSequences, ownersValue, startingOwners } from './search/owners.ts'
import type { Session } from './session.ts'
import type { Task } from './task.ts'

/** Steps of the owner search that gets no better before it gives up. */
const PATIENCE = 3_000

/** Round-robin and greedy owners, then random moves and trades that make the value no worse. */
export async function searchOwners(task: Task, session: Session): Promise<void> {
  let best: readonly number[] | undefined
  for (const { by, owners } of startingOwners(task)) {
    const from = session.host.now()
    const attempt = checkSequences(task, ownerSequences(task, owners))
    session.note(by, describeAttempt(attempt), from)
    const kept = attempt.kind === 'point' && session.offer(attempt.point, { name: by, version: '' })
    if (kept || !best) best = owners
    if (session.isOver()) return
  }
  if (best) await climb(task, session, best)
}

async function climb(task: Task, session: Session, from: readonly number[]): Promise<void> {
  const random = randomFrom(session.options.seed)
  let [owners, value] = [from, ownersValue(task, from).value]
  const began = session.host.now()
  for (let idle = 0, step = 0; idle < PATIENCE && !session.isOver(); idle++, step++) {
    const next = changeOwners(owners, task.problem.ranks, random)
    const trial = ownersValue(task, next).value
    if (trial < value || session.point === undefined) {
      const attempt = checkSequences(task, ownerSequences(task, next))
      if (attempt.kind === 'point' && session.offer(attempt.point, { name: 'owner search', version: '' })) idle = 0
    }
    if (trial <= value) [owners, value] = [next, trial]
    if (step % 64 === 63) await session.pause()
  }
  session.note('owner search', session.point ? `value ${session.point.value}` : 'no legal order', began)
}
