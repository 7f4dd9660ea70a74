import { FAMILIES } from '../../src/heuristics/index.ts'
import { type ScheduleDocument, toDocument } from '../../src/schedule/document.ts'
import { evaluate } from '../../src/schedule/evaluate.ts'
import type { FamilyOrder } from '../../src/schedule/family.ts'
import { type GenerateOptions, generateMeasured } from '../support/generate.ts'

/** A generated legal schedule and the family that it is of. */
export type Sample = { readonly name: string; readonly family: string; readonly document: ScheduleDocument }

/** Families whose stages live on two ranks at once, which no format can say. */
export const BEYOND_FORMATS: readonly string[] = ['dualpipe']

/** Legal schedules of every family that applies to generated instances; the same seeds give the same schedules. */
export function sampleSchedules(seeds: readonly number[], options: GenerateOptions = {}): Sample[] {
  return seeds.flatMap(seed => {
    const measured = generateMeasured(seed, options)
    return FAMILIES.filter(({ id }) => !BEYOND_FORMATS.includes(id)).flatMap(({ id, apply }): Sample[] => {
      const document = documentOf(apply(measured))
      return document ? [{ name: `${id} of seed ${seed}`, family: id, document }] : []
    })
  })
}

function documentOf(result: FamilyOrder): ScheduleDocument | undefined {
  if (result.kind !== 'order') return undefined
  const evaluation = evaluate(result.problem, result.sequences)
  return evaluation.kind === 'schedule' ? toDocument(result.problem, evaluation.schedule) : undefined
}
