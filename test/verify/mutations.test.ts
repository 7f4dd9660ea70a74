import { describe, expect, it } from 'vitest'
import { sum } from '../../src/base/arrays.ts'
import type { ScheduleDocument, TimedEvent, TimedKind } from '../../src/schedule/document.ts'
import { peakBytes } from '../../src/schedule/memory.ts'
import { type VerifyOptions, verify } from '../../src/verify/verify.ts'
import { CODES, type Code } from '../../src/verify/violation.ts'
import { type Random, seededRandom } from '../support/generate.ts'
import { generateTimed, type Timed } from '../support/timed.ts'

const CASES = 400
const FLOOR = 40

const known = new Map<number, Timed>()

/** The schedule of a seed, made once for all tests of this file. */
function timedOf(seed: number): Timed {
  const timed = known.get(seed) ?? generateTimed(seed)
  known.set(seed, timed)
  return timed
}

/** A changed schedule (or instance), or undefined where the mutation does not fit. */
type Mutation = (timed: Timed, random: Random) => Mutant | undefined
type Mutant = {
  readonly measured?: Timed['measured']
  readonly document?: ScheduleDocument
  readonly options?: VerifyOptions
}

type Spot = { readonly rank: number; readonly step: number; readonly event: TimedEvent }

const spots = (document: ScheduleDocument): Spot[] =>
  document.ranks.flatMap((events, rank) => events.map((event, step) => ({ rank, step, event })))

function pickSpot(document: ScheduleDocument, random: Random, fits: (spot: Spot) => boolean): Spot | undefined {
  const found = spots(document).filter(fits)
  return found.length > 0 ? random.pick(found) : undefined
}

const withRank = (document: ScheduleDocument, rank: number, events: readonly TimedEvent[]): ScheduleDocument => ({
  ...document,
  ranks: document.ranks.map((list, r) => (r === rank ? events : list))
})

const replaced = (document: ScheduleDocument, { rank, step }: Spot, event: TimedEvent): ScheduleDocument =>
  withRank(document, rank, document.ranks[rank].with(step, event))

const dropped = (document: ScheduleDocument, { rank, step }: Spot): ScheduleDocument =>
  withRank(document, rank, document.ranks[rank].toSpliced(step, 1))

/** Adds an event after everything on the rank, so that no other rule is touched. */
const appended = (
  document: ScheduleDocument,
  rank: number,
  event: Omit<TimedEvent, 'start' | 'end'>
): ScheduleDocument => {
  const at = document.makespan + 1
  return withRank(document, rank, [...document.ranks[rank], { ...event, start: at, end: at }])
}

const anySpot = (document: ScheduleDocument, random: Random) => pickSpot(document, random, () => true)

const firstFault = (event: TimedEvent, random: Random, microbatches: number): TimedEvent =>
  random.pick([
    { ...event, microbatch: microbatches },
    { ...event, microbatch: -1 },
    { ...event, microbatch: 0.5 },
    { ...event, region: 'nowhere' },
    { ...event, region: '__proto__' },
    { ...event, stage: 99 },
    { ...event, kind: 'X' as TimedKind },
    { ...event, start: Number.NaN },
    { ...event, end: event.end + 0.5 }
  ])

/** Where the instance lets a backward be forbidden: a frozen stage, a frozen source, the weight part of a frozen stage. */
function forbiddenBackward({ measured, problem }: Timed): Omit<TimedEvent, 'start' | 'end'> | undefined {
  const has = (kind: string, stage: number) =>
    problem.events.some(({ key }) => key.kind === kind && key.stage === stage)
  for (const { key } of problem.events) {
    const { region, stage, microbatch } = key
    const name = measured.regions[region]?.name
    if (key.kind === 'E' && !has('EB', -1)) return { kind: 'EB', region: name, microbatch }
    if (key.kind === 'F' && !has('B', stage) && !has('I', stage)) return { kind: 'B', region: name, stage, microbatch }
    if (key.kind === 'I' && !has('W', stage)) return { kind: 'W', region: name, stage, microbatch }
  }
  return undefined
}

const MUTATIONS: Readonly<Record<Code, readonly Mutation[]>> = {
  UNKNOWN_EVENT: [
    ({ document, measured }, random) => {
      const spot = anySpot(document, random)
      if (!spot) return undefined
      const strange = firstFault(spot.event, random, measured.microbatches)
      const ranks = withRank(document, spot.rank, [...document.ranks[spot.rank], strange])
      return { document: ranks }
    },
    ({ document, problem, measured }) => {
      const has = (m: number) => problem.events.some(({ key }) => key.kind === 'E' && key.microbatch === m)
      const without = document.ranks.length > 0 && measured.regions[0].skeleton === 'transpose'
      const m = [...Array(measured.microbatches).keys()].find(microbatch => !has(microbatch))
      if (!without || m === undefined) return undefined
      return { document: appended(document, 0, { kind: 'E', region: measured.regions[0].name, microbatch: m }) }
    },
    ({ document, measured, keepsBody, body }, random) => {
      const spot = pickSpot(document, random, ({ event }) => event.kind === 'B')
      const whole = measured.regions.every(({ stages }) => stages.flat().every(slab => slab.backward.kind === 'full'))
      if (!spot || !(whole || keepsBody)) return undefined
      const { kind: _, start, end, ...rest } = spot.event
      return {
        document: appended(document, spot.rank, { ...rest, kind: 'W' }),
        ...(whole ? {} : { options: { bodyFixed: body } })
      }
    }
  ],
  FOOTPRINT: [
    timed => {
      const event = forbiddenBackward(timed)
      return event && { document: appended(timed.document, 0, event) }
    }
  ],
  DUPLICATE_EVENT: [
    ({ document, measured }, random) => {
      const spot = anySpot(document, random)
      return spot && { document: appended(document, random.int(0, measured.ranks - 1), spot.event) }
    },
    ({ document }, random) => {
      const spot = pickSpot(document, random, ({ event }) => event.kind === 'I')
      return spot && { document: appended(document, spot.rank, { ...spot.event, kind: 'B' }) }
    }
  ],
  MISSING_EVENT: [
    ({ document }, random) => {
      const spot = anySpot(document, random)
      return spot && { document: dropped(document, spot) }
    }
  ],
  WRONG_RANK: [
    ({ document, measured }, random) => {
      const spot = pickSpot(document, random, ({ event }) => event.kind !== 'E')
      const rank = random.int(0, measured.ranks - 1)
      if (!spot || rank === spot.rank) return undefined
      const rest = dropped(document, spot)
      const list = [...rest.ranks[rank], spot.event].sort((a, b) => a.start - b.start)
      return { document: withRank(rest, rank, list) }
    }
  ],
  DURATION: [
    ({ document }, random) => {
      const spot = anySpot(document, random)
      if (!spot) return undefined
      const by = random.pick([-1, 1, 7])
      return { document: replaced(document, spot, { ...spot.event, end: spot.event.end + by }) }
    }
  ],
  ORDER: [
    ({ document }, random) => {
      const spot = pickSpot(document, random, ({ rank, step, event }) => {
        const next = document.ranks[rank][step + 1]
        return next !== undefined && next.start > event.start
      })
      if (!spot) return undefined
      const list = document.ranks[spot.rank]
      return {
        document: withRank(
          document,
          spot.rank,
          list.with(spot.step, list[spot.step + 1]).with(spot.step + 1, spot.event)
        )
      }
    },
    ({ measured, body, keepsBody }) => {
      if (!keepsBody) return undefined
      const rank = body.findIndex(steps => steps.filter(step => step.kind === 'F').length > 1)
      if (rank < 0 || measured.regions.length !== 1) return undefined
      const [first, second] = body[rank].filter(step => step.kind === 'F')
      const swapped = body[rank].map(step => (step === first ? second : step === second ? first : step))
      return { options: { bodyFixed: body.map((steps, r) => (r === rank ? swapped : steps)) } }
    }
  ],
  OVERLAP: [
    ({ document }, random) => {
      const spot = pickSpot(document, random, ({ rank, step, event }) => {
        const before = document.ranks[rank][step - 1]
        return before !== undefined && before.end > before.start && before.end <= event.start
      })
      if (!spot) return undefined
      const before = document.ranks[spot.rank][spot.step - 1]
      const start = before.end - 1
      // A zero-length event at the very start of another is compatible with it.
      if (start === before.start && spot.event.end === spot.event.start) return undefined
      const end = start + spot.event.end - spot.event.start
      return { document: replaced(document, spot, { ...spot.event, start, end }) }
    }
  ],
  PRECEDENCE: [
    ({ document }, random) => {
      const spot = pickSpot(document, random, ({ rank, step, event }) => {
        const before = document.ranks[rank].slice(0, step)
        return before.every(({ end }) => end <= event.start - 1)
      })
      if (!spot) return undefined
      const { start, end } = spot.event
      return { document: replaced(document, spot, { ...spot.event, start: start - 1, end: end - 1 }) }
    },
    ({ document }, random) => {
      const spot = pickSpot(document, random, ({ step, event }) => step === 0 && event.start === 0)
      if (!spot) return undefined
      return { document: replaced(document, spot, { ...spot.event, start: -1, end: spot.event.end - 1 }) }
    }
  ],
  MEMORY: [
    ({ measured, problem, schedule }, random) => {
      const peaks = peakBytes(problem, schedule)
      const rank = random.int(0, measured.ranks - 1)
      if (peaks[rank] === 0) return undefined
      return { measured: { ...measured, capacity: peaks.map((peak, r) => (r === rank ? peak - 1 : peak)) } }
    }
  ],
  BARRIER: [
    ({ document }, random) => ({ document: { ...document, makespan: document.makespan + random.pick([-1, 1, 1000]) } }),
    ({ document }) => ({ document: { ...document, makespan: Number.NaN } })
  ]
}

const outcome = ({ measured, document }: Timed, mutant: Mutant) =>
  verify(mutant.measured ?? measured, mutant.document ?? document, mutant.options)

describe('mutations of legal schedules', { timeout: 180_000 }, () => {
  for (const code of CODES) {
    it(`${code}: rejected with that code and no other`, () => {
      const applied = MUTATIONS[code].map(() => 0)
      for (let seed = 0; seed < CASES; seed++) {
        const timed = timedOf(seed)
        const random = seededRandom(seed * 31 + CODES.indexOf(code))
        for (const [index, mutation] of MUTATIONS[code].entries()) {
          const mutant = mutation(timed, random)
          if (!mutant) continue
          const verdict = outcome(timed, mutant)
          const codes = verdict.legal ? [] : verdict.violations.map(violation => violation.code)
          expect(new Set(codes), `seed ${seed}`).toEqual(new Set([code]))
          applied[index]++
        }
      }
      expect(sum(applied)).toBeGreaterThanOrEqual(FLOOR)
      expect(Math.min(...applied)).toBeGreaterThanOrEqual(FLOOR / 2)
    })
  }
})

/** Changes beside those that break a rule, and that break none. */
const NEIGHBOURS: Readonly<Record<string, Mutation>> = {
  'everything later by the same ticks': ({ document, measured }, random) => {
    const by = random.int(1, 9)
    if (document.makespan <= measured.communication.broadcast) return undefined
    const ranks = document.ranks.map(events => events.map(e => ({ ...e, start: e.start + by, end: e.end + by })))
    return { document: { ...document, ranks, makespan: document.makespan + by } }
  },
  'capacity at the peak': ({ measured, problem, schedule }) => ({
    measured: { ...measured, capacity: peakBytes(problem, schedule) }
  }),
  'a zero-length event listed on the other side of its equal': ({ document }, random) => {
    const spot = pickSpot(document, random, ({ rank, step, event }) => {
      const next = document.ranks[rank][step + 1]
      return next !== undefined && next.start === event.start
    })
    if (!spot) return undefined
    const list = document.ranks[spot.rank]
    return {
      document: withRank(document, spot.rank, list.with(spot.step, list[spot.step + 1]).with(spot.step + 1, spot.event))
    }
  },
  'an encode moved to the end of the idle time before its use': ({ document, problem, measured }, random) => {
    const frozen = !problem.events.some(({ key }) => key.kind === 'EB')
    const spot = pickSpot(document, random, ({ event }) => event.kind === 'E')
    if (!frozen || !spot || measured.regions.length < 2) return undefined
    return latestPlace(document, measured, spot)
  },
  'the body order stated': ({ keepsBody, body }) => (keepsBody ? { options: { bodyFixed: body } } : undefined)
}

/** The encode of `spot`, ended exactly when its F needs it, on a rank that is idle then. */
function latestPlace(document: ScheduleDocument, measured: Timed['measured'], spot: Spot): Mutant | undefined {
  const { event } = spot
  const use = spots(document).find(
    ({ event: e }) => e.kind === 'F' && e.stage === 0 && e.microbatch === event.microbatch
  )
  const length = event.end - event.start
  const rest = dropped(document, spot)
  for (const [rank, list] of rest.ranks.entries()) {
    const end = (use?.event.start ?? 0) - (rank === use?.rank ? 0 : measured.communication.gather)
    const start = end - length
    const idle = list.every(other => other.end <= start || end <= other.start)
    if (start < 0 || !idle) continue
    const moved = [...list, { ...event, start, end }].sort((a, b) => a.start - b.start)
    return { document: withRank(rest, rank, moved) }
  }
  return undefined
}

describe('legal neighbours', () => {
  for (const [name, neighbour] of Object.entries(NEIGHBOURS)) {
    it(name, () => {
      let applied = 0
      for (let seed = 0; seed < 2 * CASES && applied < 3 * FLOOR; seed++) {
        const timed = timedOf(seed)
        const mutant = neighbour(timed, seededRandom(seed))
        if (!mutant) continue
        expect(outcome(timed, mutant), `seed ${seed}`).toMatchObject({ legal: true })
        applied++
      }
      expect(applied).toBeGreaterThanOrEqual(FLOOR)
    })
  }
})

it('throws when the document is about another instance', () => {
  const { measured, document } = generateTimed(1)
  expect(() => verify({ ...measured, hash: 'other' }, document)).toThrow(/OTHER_INSTANCE/)
  expect(() => verify(measured, { ...document, ticksPerUnit: 10 })).toThrow(/ticksPerUnit/)
})
