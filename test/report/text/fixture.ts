import { familyById } from '../../../src/heuristics/index.ts'
import { closedForm } from '../../../src/schedule/closed-form.ts'
import { toDocument } from '../../../src/schedule/document.ts'
import { evaluate } from '../../../src/schedule/evaluate.ts'
import type { Measured } from '../../../src/schedule/measured.ts'
import { peakBytes } from '../../../src/schedule/memory.ts'
import { type Sketch, sketch } from '../../support/measured.ts'

/** A family's schedule of a sketched instance with all that reports print of it. */
export function scheduled(family: string, outline: Sketch) {
  const measured: Measured = sketch(outline)
  const order = familyById(family)?.apply(measured)
  if (order?.kind !== 'order') throw new Error(`${family} does not apply`)
  const evaluation = evaluate(order.problem, order.sequences)
  if (evaluation.kind === 'cycle') throw new Error('cycle')
  return {
    measured,
    document: toDocument(order.problem, evaluation.schedule),
    schedule: evaluation.schedule,
    problem: order.problem,
    peaks: peakBytes(order.problem, evaluation.schedule),
    form: closedForm(order.problem, order.sequences)
  }
}

/** Two ranks, three microbatches, a trained encoder: every kind of event is there. */
export const SMALL: Sketch = {
  ranks: 2,
  microbatches: 3,
  encoder: [8, 4, 6],
  encoderBackward: 8,
  trainable: true,
  forward: 5,
  backward: 10,
  lag: 1,
  slab: { activation: 2e9, parameters: 8e9 },
  change: { unit: 'ms', capacity: [12e9, undefined], reserved: [1e9, 1e9] }
}
