import { describe, expect, it } from 'vitest'
import { bodyOrder, bodySequences, indexEvents } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { criticalPath } from '../../src/schedule/critical-path.ts'
import { fromDocument, toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import { idleByCause, idleIntervals } from '../../src/schedule/idle.ts'
import type { CommunicationModel, Measured } from '../../src/schedule/measured.ts'
import { memoryProfiles, peakBytes } from '../../src/schedule/memory.ts'
import type { Problem, Sequences } from '../../src/schedule/problem.ts'
import { latencyRelaxation } from '../../src/schedule/relax.ts'
import { serveLinks } from '../../src/schedule/wire.ts'
import { verify } from '../../src/verify/verify.ts'
import { generateMeasured, randomOrder } from '../support/generate.ts'
import { sketch } from '../support/measured.ts'

const under = (measured: Measured, model: CommunicationModel): Measured => ({
  ...measured,
  communication: { ...measured.communication, model }
})

function timed(problem: Problem, sequences: Sequences) {
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') throw new Error('cycle')
  return evaluation.schedule
}

/** Encodes of length 1 on rank 1, one after the other, before the body; gathers take 4. */
function contended(model: CommunicationModel) {
  const measured = under(sketch({ ranks: 2, microbatches: 3, encoder: 1, forward: 2, backward: 2, lag: 4 }), model)
  const problem = buildProblem(measured)
  const index = indexEvents(problem)
  const encodes = [0, 1, 2].map(m => index.find('E', -1, m)!)
  const [first, second] = bodySequences(problem, bodyOrder(measured))
  return { measured, problem, index, schedule: timed(problem, [first, [...encodes, ...second]]) }
}

describe('link', () => {
  it('serves the first ready first, one transfer of a rank pair at a time', () => {
    const { problem, index, schedule, measured } = contended('link')
    // Ready at 1, 2 and 3, four ticks each: they arrive at 5, 9 and 13.
    expect([0, 1].map(m => schedule.start[index.find('F', 0, m)!])).toEqual([5, 9])
    const document = toDocument(problem, schedule)
    const gathers = document.transfers!.filter(transfer => transfer.kind === 'gather')
    expect(gathers.map(({ from, to, start, end }) => [from, to, start, end])).toEqual([
      [1, 0, 1, 5],
      [1, 0, 5, 9],
      [1, 0, 9, 13]
    ])
    expect(verify(measured, document).legal).toBe(true)
  })

  it('shows queueing as waiting for a transfer, and on the critical path', () => {
    for (const model of ['link', 'blocking'] as const) {
      const { problem, schedule } = contended(model)
      const idle = idleByCause(idleIntervals(problem, schedule))
      expect(idle.memory).toBe(0)
      expect(idle.transfer).toBeGreaterThan(0)
    }
    const { problem, index, schedule } = contended('link')
    // F(0, 1) starts when its gather arrives at 9, four ticks after it was ready.
    const cut = { ...schedule, makespan: schedule.start[index.find('F', 0, 1)!] + 2 }
    expect(criticalPath(problem, cut).map(event => problem.events[event].key.kind)).toEqual(['E', 'E', 'F'])
  })

  it('keeps both directions of a pair apart', () => {
    const { problem, index, schedule } = contended('link')
    // F(0, 0) ends at 7 and is sent from rank 0 while rank 1 still gathers.
    expect(schedule.start[index.find('F', 1, 0)!]).toBe(11)
    expect(problem.communication).toBe('link')
  })

  it('breaks ties by microbatch, not by the order of the list', () => {
    const encoder = [2, 0, 0]
    const measured = under(
      sketch({ ranks: 2, microbatches: 3, encoder, forward: [0, 0, 3], backward: 5, lag: 4 }),
      'link'
    )
    const problem = buildProblem(measured)
    const { find } = indexEvents(problem)
    const pick = (kind: 'F' | 'B' | 'E', stage: number, m: number) => find(kind, stage, m)!
    // Rank 0 runs F(1) and F(0), both of length 0, at tick 2.
    const rank0 = [pick('E', -1, 0), pick('F', 0, 1), pick('F', 0, 0), pick('F', 0, 2)]
    const rank1 = [0, 1, 2].flatMap(m => [pick('F', 1, m), pick('B', 1, m)])
    const backs = [0, 1, 2].map(m => pick('B', 0, m))
    const schedule = timed({ ...problem, edges: problem.edges }, [[rank0[0], ...rank0.slice(1), ...backs], rank1])
    const sends = toDocument(problem, schedule).transfers!.filter(one => one.kind === 'send')
    expect(sends.map(({ microbatch, start }) => [microbatch, start])).toEqual([
      [0, 2],
      [1, 6],
      [2, 10]
    ])
  })
})

describe('blocking', () => {
  it('a transfer occupies its sender and its receiver', () => {
    const { measured, problem, schedule } = contended('blocking')
    const document = toDocument(problem, schedule)
    expect(verify(measured, document).legal).toBe(true)
    const busy = (rank: number) =>
      [...document.ranks[rank], ...document.transfers!.filter(one => one.from === rank || one.to === rank)].sort(
        (a, b) => a.start - b.start || a.end - b.end
      )
    for (const rank of [0, 1]) {
      const items = busy(rank)
      for (let i = 1; i < items.length; i++) expect(items[i].start).toBeGreaterThanOrEqual(items[i - 1].end)
    }
    // Six compute events and nine transfers (three gathers, sends and gradients) of 4 ticks on rank 0 alone.
    expect(document.transfers).toHaveLength(9)
    expect(schedule.makespan).toBeGreaterThanOrEqual(6 * 2 + 9 * 4)
  })
})

describe('both models on generated orders', () => {
  const CASES = 120

  it('are what the checker accepts, never below latency, and waits reach the memory profile', () => {
    const seen = {
      link: 0,
      blocking: 0,
      waited: 0,
      longer: 0,
      tied: 0,
      outputs: 0,
      split: 0,
      firstRank: 0,
      chunks: 0,
      tight: 0
    }
    for (let seed = 0; seed < CASES; seed++) {
      const model = seed % 2 === 0 ? 'link' : 'blocking'
      const measured = under(generateMeasured(seed, seed % 4 === 0 ? { split: true } : {}), model)
      const problem = buildProblem(measured, { split: seed % 4 === 0 })
      const sequences = randomOrder(problem, seed)
      const schedule = timed(problem, sequences)
      const document = toDocument(problem, schedule)
      expect(verify(measured, document), `seed ${seed}`).toMatchObject({ legal: true })
      const plain = timed(latencyRelaxation(problem), sequences)
      expect(schedule.makespan, `seed ${seed}`).toBeGreaterThanOrEqual(plain.makespan)
      expect(plain.start.every((start, event) => schedule.start[event] >= start)).toBe(true)
      seen[model]++
      if (schedule.makespan > plain.makespan) seen.longer++
      if (model === 'link') {
        expect(serveLinks(problem, schedule), `seed ${seed}`).toEqual(schedule.transferStart)
        const { transfers: _, ...bare } = document
        expect(verify(measured, bare), `seed ${seed}`).toMatchObject({ legal: true })
      }
      expect(memoryProfiles(problem, fromDocument(problem, document))).toEqual(memoryProfiles(problem, schedule))
      const peaks = peakBytes(problem, schedule)
      expect(verify({ ...measured, capacity: peaks }, document), `seed ${seed}`).toMatchObject({ legal: true })
      for (const [rank, peak] of peaks.entries()) {
        if (peak === 0) continue
        const capacity = peaks.map((bytes, r) => (r === rank ? bytes - 1 : undefined))
        expect(verify({ ...measured, capacity }, document), `seed ${seed}`).toMatchObject({ legal: false })
        seen.tight++
      }
      const late = problem.edges.filter(({ id, from }) => {
        const left = schedule.transferStart![id]
        const mode = problem.events[from].modes.find(one => one.rank === schedule.rankOf[from])!
        return left > schedule.start[from] + mode.duration
      })
      seen.waited += late.length
      if (late.some(edge => edge.channel === 'gather' && problem.holds.some(hold => hold.until.arrival === edge.id)))
        seen.outputs++
      if (problem.events.some(event => event.key.kind === 'W')) seen.split++
      if (measured.encoderBackward === 'first-rank') seen.firstRank++
      if (problem.events.some(event => event.key.stage >= problem.ranks)) seen.chunks++
      const ends = new Set<string>()
      for (const one of document.ranks.flatMap((events, rank) => events.map(event => `${rank}/${event.end}`)))
        if (ends.has(one)) seen.tied++
        else ends.add(one)
    }
    for (const [what, count] of Object.entries(seen))
      expect(count, what).toBeGreaterThanOrEqual(what === 'outputs' ? 3 : 10)
  })

  it('link does not slow down with the square of the order', () => {
    const measured = under(sketch({ ranks: 32, microbatches: 128, encoder: 3, lag: 7 }), 'link')
    const problem = buildProblem(measured)
    const index = indexEvents(problem)
    const body = bodySequences(problem, bodyOrder(measured))
    const sequences = body.map((sequence, rank) => [
      ...Array.from({ length: 128 }, (_, m) => m)
        .filter(m => m % 32 === rank)
        .map(m => index.find('E', -1, m)!),
      ...sequence
    ])
    const from = process.cpuUsage()
    timed(problem, sequences)
    expect(process.cpuUsage(from).user / 1000).toBeLessThan(3_000)
  })
})
