import { fail } from '../base/fault.ts'
import {
  encodePlacementCp,
  encodePlacementMilp,
  encodePlacementSmt,
  writeCpSat,
  writeLp,
  writeMps,
  writeMzn,
  writeSmt2
} from '../encoding/index.ts'
import { FAMILIES } from '../heuristics/index.ts'
import { bodyOrder, bodySequences } from '../schedule/body.ts'
import { buildProblem } from '../schedule/build.ts'
import { evaluate } from '../schedule/evaluate.ts'
import type { Measured, Tick } from '../schedule/measured.ts'

/** Formats of solver models. */
export const MODEL_FORMATS: readonly string[] = ['lp', 'mps', 'smt2', 'cpsat', 'mzn']

/**
 * The placement problem of an instance as text: LP, MPS, MiniZinc and CP-SAT's message minimise the makespan, SMT-LIB asks whether
 * the makespan of the best family can be reached. @throws FaultError where no family gives a horizon
 */
export function modelText(measured: Measured, format: string): string {
  const problem = buildProblem(measured)
  const body = bodySequences(problem, bodyOrder(measured))
  const horizon = horizonOf(measured)
  if (format === 'smt2') return writeSmt2(encodePlacementSmt(problem, body, horizon).model)
  if (format === 'cpsat') return writeCpSat(encodePlacementCp(problem, body, horizon).model)
  if (format === 'mzn') return writeMzn(encodePlacementCp(problem, body, horizon).model)
  const { model } = encodePlacementMilp(problem, body, horizon)
  return format === 'lp' ? writeLp(model) : writeMps(model)
}

/** The shortest makespan among the families that keep the instance's own events. */
function horizonOf(measured: Measured): Tick {
  const spans = FAMILIES.flatMap(family => {
    const result = family.id.startsWith('transpose') ? family.apply(measured) : undefined
    if (result?.kind !== 'order') return []
    const evaluation = evaluate(result.problem, result.sequences)
    return evaluation.kind === 'schedule' ? [evaluation.schedule.makespan] : []
  })
  if (spans.length > 0) return Math.min(...spans)
  return fail(
    'NO_MODEL',
    'schedule',
    undefined,
    'no transpose family applies, so there is nothing to place',
    'Give an instance with a transposed encoder.'
  )
}
