import { fail } from '../base/fault.ts'
import type { Encoded } from '../encoding/encoded.ts'
import { writeCpSat, writeLp, writeMps, writeMzn, writeSmt2 } from '../encoding/index.ts'
import { FAMILIES } from '../heuristics/index.ts'
import { checkSequences } from '../optimize/point.ts'
import type { Task } from '../optimize/task.ts'
import { placementTask } from '../optimize/tasks.ts'
import type { Measured, Tick } from '../schedule/measured.ts'

/** Formats of solver models. */
export const MODEL_FORMATS: readonly string[] = ['lp', 'mps', 'smt2', 'cpsat', 'mzn']

/** A solver model as text, with what a reader should know of it. */
export type ModelText = { readonly text: string; readonly notes: readonly string[] }

/**
 * The placement problem of an instance as text: LP, MPS, MiniZinc and CP-SAT's message minimise the makespan, SMT-LIB asks whether
 * the makespan of the best legal family can be reached. @throws FaultError where there is nothing to place
 */
export function modelText(measured: Measured, format: string): ModelText {
  const { encodeDecision, encodeMilp, encodeCp, ...task } = placementTask(measured)
  if (!encodeDecision || !encodeMilp || !encodeCp) throw new Error('placement has every kind of model')
  const horizon = horizonOf(task)
  const told = (text: string, { unit }: Encoded) => ({ text, notes: notesOf(measured, format, unit) })
  if (format === 'smt2') {
    const encoded = encodeDecision(horizon)
    return told(writeSmt2(encoded.model), encoded)
  }
  if (format === 'cpsat' || format === 'mzn') {
    const encoded = encodeCp(horizon)
    return told(format === 'mzn' ? writeMzn(encoded.model) : writeCpSat(encoded.model), encoded)
  }
  const encoded = encodeMilp(horizon)
  return told(format === 'lp' ? writeLp(encoded.model) : writeMps(encoded.model), encoded)
}

function notesOf({ communication: { model } }: Measured, format: string, unit: Tick): string[] {
  const apart = model === 'latency' || format === 'smt2' ? undefined : model === 'link' ? 'queue' : 'block'
  return [
    ...(unit === 1 ? [] : [`times in the model are in units of ${unit} ticks`]),
    ...(apart ? [`${format} leaves out that transfers ${apart}: its optimum is a lower bound`] : [])
  ]
}

/** The shortest makespan among the transpose families that are legal; where memory lets none be, time for any schedule. */
function horizonOf(task: Task): Tick {
  const orders = FAMILIES.flatMap(family => {
    const result = family.id.startsWith('transpose') ? family.apply(task.measured) : undefined
    return result?.kind === 'order' ? [result.sequences] : []
  })
  if (orders.length === 0)
    return fail(
      'NO_MODEL',
      'schedule',
      undefined,
      'no transpose family applies, so there is nothing to place',
      'Give an instance with a transposed encoder.'
    )
  const attempts = orders.map(sequences => checkSequences(task, sequences))
  const spans = attempts.flatMap(attempt => (attempt.kind === 'point' ? [attempt.point.value] : []))
  return spans.length > 0 ? Math.min(...spans) : task.longest
}
