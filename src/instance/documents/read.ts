import type * as z from 'zod'
import type { Fault } from '../../base/fault.ts'
import { checkInstance } from '../check.ts'
import type { Mapping } from '../checks/raw.ts'
import { instanceHash } from '../hash.ts'
import { schemaFaults } from '../issues.ts'
import { readJsonMapping } from '../text/mapping.ts'
import { resultSchema } from './result.ts'
import { scheduleSchema } from './schedule.ts'

/** A document of a known format, or every fault of its text. */
export type ParsedDocument<T> =
  | { readonly ok: true; readonly document: T }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** `tropipe.schedule/1` as read from JSON. */
export type ScheduleData = z.output<typeof scheduleSchema>
/** `tropipe.result/1` as read from JSON. */
export type ResultData = z.output<typeof resultSchema>

/** Reads `tropipe.schedule/1` from JSON text; whether it is legal is the checker's to say. Never throws for bad input. */
export function parseSchedule(text: string): ParsedDocument<ScheduleData> {
  return parseWith(text, scheduleSchema, scheduleFaults)
}

/** Reads `tropipe.result/1` from JSON text; its instance, hash and numbers must agree. Never throws for bad input. */
export function parseResult(text: string): ParsedDocument<ResultData> {
  return parseWith(text, resultSchema, resultFaults)
}

/** Reads JSON text with a schema and a check across its fields. */
export function parseWith<T>(
  text: string,
  schema: z.ZodType<T>,
  across: (document: T) => Fault[] = () => []
): ParsedDocument<T> {
  const reading = readJsonMapping(text)
  if (!reading.ok) return reading
  const parsed = schema.safeParse(reading.value)
  const faults = parsed.success ? across(parsed.data) : schemaFaults(reading.value, schema, parsed.error.issues)
  return parsed.success && faults.length === 0 ? { ok: true, document: parsed.data } : { ok: false, faults }
}

function scheduleFaults(schedule: ScheduleData, prefix = ''): Fault[] {
  const { P, M, ranks } = schedule
  const faults = ranks.length === P ? [] : [mismatch('LIST_LENGTH', `${prefix}ranks`, ranks.length, `P is ${P}`)]
  for (const [rank, events] of ranks.entries()) {
    for (const [index, { microbatch }] of events.entries()) {
      const path = `${prefix}ranks[${rank}][${index}].microbatch`
      if (microbatch >= M) faults.push(mismatch('RANGE', path, microbatch, `M is ${M}`))
    }
  }
  return faults
}

function resultFaults(result: ResultData): Fault[] {
  const checked = checkInstance(result.instance as Mapping)
  if (!checked.ok) return checked.faults.map(fault => ({ ...fault, path: `instance.${fault.path}` }))
  const { schedule } = result
  const faults = schedule ? scheduleFaults(schedule, 'schedule.') : []
  const agree = (path: string, value: unknown, wanted: unknown, why: string, code = 'DISAGREES') => {
    if (value !== wanted) faults.push(mismatch(code, path, value, `${why} ${wanted}`))
  }
  const hash = instanceHash(checked.document)
  agree('instanceHash', result.instanceHash, hash, 'the embedded instance has the hash', 'HASH_MISMATCH')
  if (schedule) {
    agree('schedule.instance', schedule.instance, hash, 'the embedded instance has the hash', 'HASH_MISMATCH')
    agree('schedule.P', schedule.P, result.instance.ranks, 'the instance has')
    agree('schedule.M', schedule.M, result.instance.microbatches, 'the instance has')
    agree('schedule.makespan', schedule.makespan, result.makespan, 'the result states')
    agree('schedule.ticksPerUnit', schedule.ticksPerUnit, result.ticksPerUnit, 'the result states')
  }
  if (result.status === 'optimal' && result.objective === 'makespan') {
    agree('lowerBound', result.lowerBound, result.makespan, 'an optimal result needs')
    if (!schedule) faults.push(mismatch('MISSING', 'schedule', undefined, 'an optimal result needs its schedule'))
  }
  return faults
}

function mismatch(code: string, path: string, value: unknown, because: string): Fault {
  return { code, path, value, message: `does not fit: ${because}`, advice: 'Give the document as it was written.' }
}
