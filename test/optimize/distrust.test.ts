import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import { BACKENDS, releaseSolvers } from '../../src/solvers/index.ts'
import { FAKE_KINDS, fakeBackend } from '../support/fakes.ts'
import { openInstance } from '../support/measured.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

const open = openInstance()

const LIMIT_MS = 2_500

describe('a solver that cannot be trusted', () => {
  it('is tested on an instance that the bounds leave open', async () => {
    const { answer } = await optimize(open, { timeLimitMs: 60_000 }, host)
    if (answer.status !== 'optimal') throw new Error(answer.status)
    expect(answer.certificate.evidence[0].kind).not.toBe('bound')
  })

  it.each([...FAKE_KINDS, 'streams-lies'] as const)(
    'that %s never makes an answer optimal, and never keeps us',
    async kind => {
      const backends = [fakeBackend(kind)]
      const began = host.now()
      const { answer } = await optimize(open, { solver: kind, backends, timeLimitMs: LIMIT_MS }, host)
      expect(answer.status).toBe('feasible')
      expect(host.now() - began).toBeLessThan(LIMIT_MS + 2_000)
    }
  )

  it.each(FAKE_KINDS)('that %s in the place of Z3 does not either, beside a sound HiGHS', async kind => {
    const backends = [...BACKENDS.filter(({ id }) => id !== 'z3'), fakeBackend(kind, 'z3')]
    const { answer } = await optimize(open, { backends, timeLimitMs: 6_000 }, host)
    if (answer.status === 'optimal') {
      const honest = await optimize(open, { timeLimitMs: 60_000 }, host)
      expect(answer.value).toBe(honest.answer.status === 'optimal' ? honest.answer.value : -1)
    } else expect(answer.status).toBe('feasible')
  })
})
