import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { parseResult, parseSchedule, parseWith } from '../../src/instance/documents/read.ts'
import { SCHEMAS } from '../../src/instance/documents/schemas.ts'
import { parseInstance } from '../../src/instance/parse.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { type ScheduleDocument, toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'

const BACKBONE = `format: tropipe.instance/1
name: backbone
ranks: 2
microbatches: 2
schedule: "<1f1b>"
regions: [{ name: llm, trainable: true, stages: [{ forward: 1, backward: 2 }, { forward: 1, backward: 2 }] }]
`

function solved() {
  const parsed = parseInstance(BACKBONE, 'yaml')
  if (!parsed.ok) throw new Error('the fixture is faulty')
  const problem = buildProblem(parsed.measured)
  const evaluation = evaluate(problem, bodySequences(problem, bodyOrder(parsed.measured)))
  if (evaluation.kind !== 'schedule') throw new Error('the fixture does not finish')
  const schedule: ScheduleDocument = toDocument(problem, evaluation.schedule)
  const result = {
    format: 'tropipe.result/1',
    instance: parsed.document,
    instanceHash: parsed.measured.hash,
    problem: 'placement',
    objective: 'makespan',
    status: 'optimal',
    makespan: schedule.makespan,
    lowerBound: schedule.makespan,
    gap: 0,
    unit: 'us',
    ticksPerUnit: 1,
    solver: { name: 'none', version: '1', added: true },
    certificate: { kind: 'bound', name: 'path', terms: [{ label: 'body', ticks: 9 }] },
    schedule
  }
  return { schedule, result }
}

const codes = (parsed: { ok: boolean; faults?: readonly { code: string; path: string }[] }) =>
  (parsed.faults ?? []).map(({ code, path }) => `${code} ${path}`)

describe('result documents', () => {
  it('reads back a schedule that the tool wrote', () => {
    const { schedule } = solved()
    expect(parseSchedule(JSON.stringify(schedule))).toEqual({ ok: true, document: schedule })
  })

  it.each([
    ['a misspelt key', { strat: 3 }, 'UNKNOWN_KEY ranks[0][0].strat'],
    ['a fractional tick', { start: 0.5 }, 'NOT_INTEGER ranks[0][0].start'],
    ['an unknown kind', { kind: 'Q' }, 'VALUE ranks[0][0].kind'],
    ['a microbatch beyond M', { microbatch: 2 }, 'RANGE ranks[0][0].microbatch'],
    ['a negative stage', { stage: -1 }, 'NEGATIVE ranks[0][0].stage']
  ])('refuses a schedule with %s', (_, patch, fault) => {
    const { schedule } = solved()
    const ranks = schedule.ranks.map((events, rank) =>
      events.map((event, index) => (rank === 0 && index === 0 ? { ...event, ...patch } : event))
    )
    expect(codes(parseSchedule(JSON.stringify({ ...schedule, ranks })))).toEqual([fault])
  })

  it('refuses a schedule with a rank too many, and text that is not JSON', () => {
    const { schedule } = solved()
    expect(codes(parseSchedule(JSON.stringify({ ...schedule, P: 3 })))).toEqual(['LIST_LENGTH ranks'])
    expect(codes(parseSchedule('{'))).toEqual(['SYNTAX line 1, column 2'])
  })

  it('reads back a result, with fields added', () => {
    const { result } = solved()
    const parsed = parseResult(JSON.stringify({ ...result, added: 1 }))
    expect(parsed).toMatchObject({ ok: true, document: { ...result, added: 1 } })
  })

  it.each([
    ['another instance', { instanceHash: 'sha256:0' }, ['HASH_MISMATCH instanceHash']],
    ['a bound below its optimum', { lowerBound: 1 }, ['DISAGREES lowerBound']],
    ['another makespan', { makespan: 1, lowerBound: 1 }, ['DISAGREES schedule.makespan']],
    ['no schedule for its optimum', { schedule: undefined }, ['MISSING schedule']],
    ['an unknown status', { status: 'best' }, ['VALUE status']],
    ['an unknown certificate', { certificate: { kind: 'trust' } }, ['VALUE certificate.kind']]
  ])('refuses a result with %s', (_, patch, faults) => {
    expect(codes(parseResult(JSON.stringify({ ...solved().result, ...patch })))).toEqual(faults)
  })

  it('reports the faults of an embedded instance under its path', () => {
    const { result } = solved()
    const instance = { ...result.instance, microbatches: 2, regions: [{ ...result.instance.regions[0], name: 'x y' }] }
    const faults = codes(parseResult(JSON.stringify({ ...result, instance })))
    expect(faults).toEqual(['NAME instance.regions[0].name'])
    const wrong = { ...result.instance, ranks: 3 }
    expect(codes(parseResult(JSON.stringify({ ...result, instance: wrong })))).toEqual(['STAGE_COUNT instance.regions'])
  })

  it('has a schema for the other documents', () => {
    const samples: Readonly<Record<string, unknown>> = {
      'tropipe.proof/1': {
        legal: false,
        strength: 'schedule',
        violations: [{ code: 'OVERLAP', rank: 0, message: 'x' }]
      },
      'tropipe.comparison/1': {
        rows: [{ family: 'inline', makespan: 3, bubbleRatio: 0.5, peakMemory: [1], inFlight: [1], legal: true }],
        baseline: 'inline',
        optimum: { makespan: 3, lowerBound: 3, status: 'optimal' }
      },
      'tropipe.faults/1': { faults: [{ code: 'A', path: '', value: null, message: 'x', advice: 'y' }] },
      'tropipe.model/1': {
        model: { name: 'm', parameters: { text: 1, total: 1, active: 1 }, flopsPerToken: 6, assumptions: [] },
        instance: solved().result.instance
      }
    }
    for (const [format, sample] of Object.entries(samples)) {
      const schema: z.ZodType = SCHEMAS[format as keyof typeof SCHEMAS]
      expect(parseWith(JSON.stringify({ format, ...(sample as object) }), schema).ok, format).toBe(true)
      expect(parseWith(JSON.stringify({ format }), schema).ok, format).toBe(false)
    }
  })
})
