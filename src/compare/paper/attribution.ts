import { dedicatedMeasured } from '../../heuristics/dedicated.ts'
import { familyById } from '../../heuristics/index.ts'
import { bodyFamily } from '../../heuristics/inline.ts'
import { type ClosedForm, closedForm, evaluateBackbone } from '../../schedule/closed-form.ts'
import { evaluate } from '../../schedule/evaluate.ts'
import type { FamilyOrder } from '../../schedule/family.ts'
import type { Measured, Slab, Tick } from '../../schedule/measured.ts'

/**
 * Where the difference between a baseline and `transpose-full` comes from, in ticks:
 * baseline - freedStage - encoderInBaseline = body; body + spill - absorbed + arrival + drain = transposed.
 */
export type Attribution = {
  readonly baseline: Tick
  /** What the backbone gains by the stage that the encoder no longer needs; 0 where it was fused. */
  readonly freedStage: Tick
  /** What the encoder adds to the baseline's step. */
  readonly encoderInBaseline: Tick
  /** The backbone alone on all ranks. */
  readonly body: Tick
  readonly spill: Tick
  readonly absorbed: Tick
  readonly arrival: Tick
  readonly drain: Tick
  readonly transposed: Tick
  /** encoderInBaseline less what the encoder still costs: the encoder work that the bubbles took in. */
  readonly hiddenEncoder: Tick
  readonly form: ClosedForm
}

/** Makespan of a family on an instance. @throws where its rule does not fit */
export function makespanOf(measured: Measured, id: string): Tick {
  return ended(familyById(id)!.apply(measured), id)
}

function ended(order: FamilyOrder, id: string): Tick {
  if (order.kind !== 'order') throw new Error(`${id}: ${order.reason}`)
  const evaluation = evaluate(order.problem, order.sequences)
  if (evaluation.kind === 'cycle') throw new Error(`${id}: cycle`)
  return evaluation.schedule.makespan
}

/** Splits the gain of `transpose-full` over a baseline into its causes. */
export function attribute(measured: Measured, baseline: 'dedicated' | 'inline'): Attribution {
  const order = familyById('transpose-full')!.apply(measured)
  if (order.kind !== 'order') throw new Error(order.reason)
  const form = closedForm(order.problem, order.sequences)!
  const body = evaluateBackbone(order.problem, order.sequences)!.makespan
  const base = makespanOf(measured, baseline)
  const alone = baseline === 'inline' ? body : backboneAlone(measured)
  const encoderInBaseline = base - alone
  const stillPaid = form.exact - body
  return {
    baseline: base,
    freedStage: alone - body,
    encoderInBaseline,
    body,
    spill: form.paper - body,
    absorbed: form.absorbed,
    arrival: form.arrival,
    drain: form.drain,
    transposed: form.exact,
    hiddenEncoder: encoderInBaseline - stillPaid,
    form
  }
}

/** The backbone on ranks 1..P-1 with an encoder that takes no time. */
function backboneAlone(measured: Measured): Tick {
  const split = dedicatedMeasured(measured)
  if (typeof split === 'string') throw new Error(split)
  const [source, ...rest] = split.regions
  const idle = (slab: Slab): Slab => ({
    ...slab,
    forward: slab.forward.map(() => 0),
    backward: { kind: 'full', full: slab.forward.map(() => 0) }
  })
  const regions = [{ ...source, stages: [source.stages[0].map(idle)] }, ...rest]
  return ended(bodyFamily({ ...split, regions }), 'backbone alone')
}
