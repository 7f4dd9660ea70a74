import { maximum, range, sum } from '../../base/arrays.ts'

/** F forward, B full backward, I backward-input, W backward-weight. */
export type StepKind = 'F' | 'B' | 'I' | 'W'

/**
 * One compute step. `replica` names the copy of the model that it runs on where a bidirectional feed keeps two; it is 0
 * otherwise. Stages count from the input, in both copies.
 */
export type StageStep = {
  readonly kind: StepKind
  readonly stage: number
  readonly microbatch: number
  readonly replica: number
}

/** One entry of a rank's list: a step, or a forward and a backward that run overlapped as one. */
export type OrderItem =
  | { readonly kind: 'run'; readonly step: StageStep }
  | { readonly kind: 'fused'; readonly forward: StageStep; readonly backward: StageStep }

/** An order of all steps, fixed by P and M alone. `rankOf[replica][stage]` is the stage -> rank map of each copy. */
export type PipelineOrder = {
  readonly name: string
  readonly ranks: number
  readonly microbatches: number
  readonly rankOf: readonly (readonly number[])[]
  readonly items: readonly (readonly OrderItem[])[]
}

/** A step of the only copy. */
export function run(kind: StepKind, stage: number, microbatch: number, replica = 0): OrderItem {
  return { kind: 'run', step: { kind, stage, microbatch, replica } }
}

/** The steps of an item, forward before backward. */
export function stepsOf(item: OrderItem): readonly StageStep[] {
  return item.kind === 'run' ? [item.step] : [item.forward, item.backward]
}

/** ByLayer owner of S stages, dealt round: stage s on rank s mod P. */
export function loopMap(stages: number, ranks: number): number[] {
  return range(stages).map(stage => stage % ranks)
}

/**
 * Reflected ByLayer owner (fold): every other pass over the ranks runs backwards, so neighbouring passes meet on one rank.
 * One chunk per rank is the plain map: the fold's degenerate case.
 */
export function foldMap(stages: number, ranks: number): number[] {
  return range(stages).map(stage => {
    const [pass, place] = [Math.floor(stage / ranks), stage % ranks]
    return pass % 2 === 0 ? place : ranks - 1 - place
  })
}

/** Highest number of stage activations that each rank holds: F adds one; B, or W where split, frees it. */
export function peakHeld(order: PipelineOrder): number[] {
  return peakOf(order, ['B', 'W'])
}

/** Highest number of forwards whose gradient has not passed: F adds one; B or I frees it. */
export function peakInFlightSteps(order: PipelineOrder): number[] {
  return peakOf(order, ['B', 'I'])
}

/** In a fused pair the forward counts first: both activations exist while it runs. */
function peakOf(order: PipelineOrder, frees: readonly StepKind[]): number[] {
  return order.items.map(items => {
    let now = 0
    const reached = items.flatMap(stepsOf).map(({ kind }) => {
      now += kind === 'F' ? 1 : frees.includes(kind) ? -1 : 0
      return now
    })
    return maximum(reached)
  })
}

/** Number of steps in an order. */
export function countSteps(order: PipelineOrder): number {
  return sum(order.items.map(items => items.flatMap(stepsOf).length))
}
