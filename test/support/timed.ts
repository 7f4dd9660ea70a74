import type { BodyOrder } from '../../src/algebra/orders/body.ts'
import { bodyOrder, bodySequences } from '../../src/schedule/body.ts'
import { buildProblem } from '../../src/schedule/build.ts'
import { type ScheduleDocument, toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { Measured } from '../../src/schedule/measured.ts'
import type { Problem, Schedule } from '../../src/schedule/problem.ts'
import { type GenerateOptions, generateMeasured, randomOrder } from './generate.ts'

/** A generated instance with a legal schedule of it. */
export type Timed = {
  readonly measured: Measured
  readonly problem: Problem
  readonly schedule: Schedule
  readonly document: ScheduleDocument
  readonly body: BodyOrder
  /** Whether the stage events keep the order of `body`. */
  readonly keepsBody: boolean
}

/** An instance and a random order of it, timed by the evaluator: every third keeps the body order, every other may split. */
export function generateTimed(seed: number, options: GenerateOptions = {}): Timed {
  const measured = generateMeasured(seed, options)
  const problem = buildProblem(measured, { split: seed % 2 === 0 })
  const body = bodyOrder(measured)
  const keepsBody = seed % 3 === 0 && !problem.events.some(event => event.key.kind === 'I')
  const sequences = randomOrder(problem, seed, keepsBody ? bodySequences(problem, body) : undefined)
  const evaluation = evaluate(problem, sequences)
  if (evaluation.kind === 'cycle') throw new Error('a random order is acyclic')
  const { schedule } = evaluation
  return { measured, problem, schedule, document: toDocument(problem, schedule), body, keepsBody }
}
