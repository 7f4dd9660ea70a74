import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { minimise } from '../../src/optimize/exact/minimise.ts'
import { checkSequences } from '../../src/optimize/point.ts'
import { injected } from '../../src/optimize/reorder.ts'
import { Session } from '../../src/optimize/session.ts'
import { placementTask } from '../../src/optimize/tasks.ts'
import { DEFAULT_OPTIONS } from '../../src/optimize/types.ts'
import { releaseSolvers } from '../../src/solvers/index.ts'
import { fakeBackend } from '../support/fakes.ts'
import { randomOrder } from '../support/generate.ts'
import { openInstance } from '../support/measured.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

const task = placementTask(openInstance())

/** How a run of the echo ends that begins with an incumbent: `feasible` where it was given a hint, which is its point. */
async function echo({ warmStart = true, deterministic = false, from = task } = {}) {
  const backends = [fakeBackend('echoes', 'echoes', { warmStart })]
  const session = new Session(host, { ...DEFAULT_OPTIONS, backends, deterministic })
  const attempt = checkSequences(from, randomOrder(from.problem, 1, from.body))
  if (attempt.kind !== 'point' || !task.encodeMilp || !task.encodeCp) throw new Error('no incumbent')
  session.offer(attempt.point, { name: 'test', version: '' })
  const ends: unknown[] = []
  for (const encode of [task.encodeMilp, task.encodeCp]) {
    await minimise(task, session, 'echoes', encode, new AbortController().signal)
    ends.push(session.attempts.at(-1)?.outcome?.status)
  }
  return { ends, value: attempt.point.value, after: session.point?.value }
}

describe('the incumbent as a hint', () => {
  it.each([false, true])('goes to solvers that can start from one, deterministic: %s', async deterministic => {
    const { ends, value, after } = await echo({ deterministic })
    expect(ends).toEqual(['feasible', 'feasible'])
    expect(after).toBeLessThanOrEqual(value)
  })

  it('goes to no others', async () => {
    expect((await echo({ warmStart: false })).ends).toEqual([undefined, undefined])
  })

  it('stays behind where the model has no place for it', async () => {
    const { ends } = await echo({ from: injected(task, [1, 0, 2]) })
    expect(ends).toEqual([undefined, undefined])
  })
})
