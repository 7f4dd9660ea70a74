import { afterAll, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host/node/index.ts'
import { minimise } from '../../src/optimize/exact/minimise.ts'
import { optimize } from '../../src/optimize/optimize.ts'
import { Session } from '../../src/optimize/session.ts'
import { placementTask } from '../../src/optimize/tasks.ts'
import { DEFAULT_OPTIONS, type SolveOptions } from '../../src/optimize/types.ts'
import { releaseSolvers } from '../../src/solvers/index.ts'
import { type FakeKind, fakeBackend } from '../support/fakes.ts'
import { openInstance } from '../support/measured.ts'

const host = nodeHost()
afterAll(() => releaseSolvers(host))

const open = openInstance()
/** Its optimum, which the bounds leave open and the first search finds. */
const OPTIMUM = 76

/** A run of one fake on the integer model, from no incumbent; `offered` counts points that came before its outcome. */
async function run(kind: FakeKind, options: Partial<SolveOptions>, cancel: (session: Session) => boolean) {
  const task = placementTask(open)
  const session = new Session(host, { ...DEFAULT_OPTIONS, backends: [fakeBackend(kind)], ...options })
  const abort = new AbortController()
  let offered = 0
  session.watch(() => {
    if (session.point && session.attempts.length === 0) offered++
    if (cancel(session)) abort.abort()
  })
  if (!task.encodeMilp) throw new Error('no integer model')
  await minimise(task, session, kind, task.encodeMilp, abort.signal)
  return { session, offered, stop: session.attempts[0]?.outcome?.stop }
}

describe('a solver that finds a point and goes on', () => {
  it('has it checked and shown at once', async () => {
    const seen: unknown[] = []
    const { session, offered, stop } = await run(
      'solves-then-hangs',
      { onProgress: ({ incumbent, by }) => seen.push({ incumbent, by }) },
      ({ point }) => point !== undefined
    )
    expect(session.point?.value).toBe(OPTIMUM)
    expect(session.finder.name).toBe('fake solves-then-hangs')
    expect(seen).toEqual([{ incumbent: OPTIMUM, by: 'fake solves-then-hangs' }])
    expect([offered, stop]).toEqual([1, 'cancelled'])
  })

  it('waits for its outcome where runs must be repeatable, which keeps the point', async () => {
    const { session, offered, stop } = await run('solves-then-stops', { deterministic: true }, () => false)
    expect([offered, stop]).toEqual([0, 'time'])
    expect(session.point?.value).toBe(OPTIMUM)
  })
})

describe('a solver that claims a bound and goes on', () => {
  const fake = (kind: FakeKind, id: string, ...bounds: number[]) => fakeBackend(kind, id, { models: ['milp'], bounds })

  it('is stopped, and all others, once another confirms it and a schedule reaches it', async () => {
    const { answer, attempts } = await optimize(
      open,
      {
        backends: [fake('bounds-then-hangs', 'z3', OPTIMUM), fake('bounds-then-hangs', 'highs', OPTIMUM)],
        timeLimitMs: 60_000
      },
      host
    )
    expect(answer).toMatchObject({ status: 'optimal', value: OPTIMUM })
    const [evidence] = answer.certificate.evidence
    expect(evidence).toMatchObject({ kind: 'solver-bound', bound: OPTIMUM, confirmedBy: [{ bound: OPTIMUM }] })
    const stops = attempts.flatMap(({ by, outcome }) => (outcome ? [`${by} ${outcome.stop}`] : []))
    expect(stops.sort()).toEqual(['highs cancelled', 'z3 cancelled'])
  })

  it('does not confirm itself under another name', async () => {
    const backends = [fake('bounds-then-stops', 'alone', OPTIMUM, OPTIMUM + 1)]
    const { answer } = await optimize(open, { solver: 'alone', backends }, host)
    expect(answer).toMatchObject({ status: 'feasible', value: OPTIMUM })
  })

  it('is quoted for a bound that nobody confirms', async () => {
    const backends = [fake('bounds-then-stops', 'alone', OPTIMUM - 1, OPTIMUM)]
    const { answer } = await optimize(open, { solver: 'alone', backends }, host)
    expect(answer).toMatchObject({ status: 'feasible', value: OPTIMUM, claimedBound: OPTIMUM })
  })

  it('proves nothing by a bound that a schedule refutes', async () => {
    const backends = [fake('bounds-then-stops', 'alone', OPTIMUM + 1)]
    const { answer } = await optimize(open, { solver: 'alone', backends }, host)
    expect(answer).toMatchObject({ status: 'feasible', value: OPTIMUM })
    expect(answer).not.toHaveProperty('claimedBound')
  })
})
