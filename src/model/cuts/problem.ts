import { range, sum } from '../../base/arrays.ts'
import { type Fault, FaultError } from '../../base/fault.ts'

/** Layers that are alike, in depth order of the model. Times in any one unit, bytes in any one unit. */
export type LayerKind = {
  readonly name: string
  readonly count: number
  readonly forward: number
  readonly backward: number
  /** What recomputing one such layer adds to its backward; absent: it cannot be recomputed. */
  readonly recompute?: number
  readonly states: number
  readonly activation: number
  /** Bytes that a recomputed layer keeps per microbatch. */
  readonly recomputedActivation: number
}

/** What a stage has beside its layers: an encoder, an embedding, a head. */
export type StageExtra = {
  readonly forward: number
  readonly backward: number
  readonly states: number
  readonly activation: number
}

/**
 * Choose the layers of each stage, and how many of them are recomputed, for the shortest 1F1B step under memory. One
 * rank per stage. `limit` are the bytes that each stage may use.
 */
export type CutProblem = {
  readonly stages: number
  readonly microbatches: number
  readonly kinds: readonly LayerKind[]
  readonly extras: readonly StageExtra[]
  readonly limit: readonly number[]
  /** Fewest layers of a stage; 0 allows empty ones. */
  readonly least: number
  /** Stages that take no layers at all (an encoder of its own). */
  readonly empty?: readonly number[]
}

/** A solution: layers and recomputed layers by stage and kind. */
export type Cut = {
  readonly layers: readonly (readonly number[])[]
  readonly recomputed: readonly (readonly number[])[]
}

/** Nothing beside the layers. */
export const NO_EXTRA: StageExtra = { forward: 0, backward: 0, states: 0, activation: 0 }

/** Microbatches of a stage that have a forward done and a backward not, at most (1F1B). */
export function inFlight(problem: CutProblem, stage: number): number {
  return Math.min(problem.stages - stage, problem.microbatches)
}

/** Forward and backward time of each stage. */
export function stageTimes(problem: CutProblem, cut: Cut): { readonly forward: number[]; readonly backward: number[] } {
  const total = (of: (kind: LayerKind, index: number) => number) =>
    sum(problem.kinds.map((kind, index) => of(kind, index)))
  return {
    forward: range(problem.stages).map(
      stage => problem.extras[stage].forward + total((kind, k) => kind.forward * cut.layers[stage][k])
    ),
    backward: range(problem.stages).map(
      stage =>
        problem.extras[stage].backward +
        total((kind, k) => kind.backward * cut.layers[stage][k] + (kind.recompute ?? 0) * cut.recomputed[stage][k])
    )
  }
}

/** Bytes of each stage at its peak under 1F1B. */
export function stageBytes(problem: CutProblem, cut: Cut): number[] {
  return range(problem.stages).map(stage => {
    const held = sum(
      problem.kinds.map((kind, k) => {
        const plain = cut.layers[stage][k] - cut.recomputed[stage][k]
        const kept = kind.activation * plain + kind.recomputedActivation * cut.recomputed[stage][k]
        return kind.states * cut.layers[stage][k] + inFlight(problem, stage) * kept
      })
    )
    const extra = problem.extras[stage]
    return held + extra.states + inFlight(problem, stage) * extra.activation
  })
}

/** Layers of all kinds per stage. */
export function layersPerStage(cut: Cut): number[] {
  return cut.layers.map(sum)
}

/** Recomputed layers of all kinds per stage. */
export function recomputedPerStage(cut: Cut): number[] {
  return cut.recomputed.map(sum)
}

/** What cannot be in a cut problem. */
export function checkCutProblem(problem: CutProblem): void {
  const faults: Fault[] = []
  const layers = sum(problem.kinds.map(kind => kind.count))
  const filled = problem.stages - (problem.empty?.length ?? 0)
  if (layers < filled * problem.least)
    faults.push({
      code: 'CUT_TOO_FEW_LAYERS',
      path: 'stages',
      value: problem.stages,
      message: `${layers} layers cannot fill ${filled} stages with ${problem.least} each`,
      advice: 'Use fewer ranks.'
    })
  problem.extras.forEach((extra, stage) => {
    const needed = extra.states + inFlight(problem, stage) * extra.activation
    if (needed > problem.limit[stage])
      faults.push({
        code: 'MEMORY_NO_CUT',
        path: `stages[${stage}]`,
        value: needed,
        message: `stage ${stage} needs ${needed} bytes before it has any layer, and may use ${problem.limit[stage]}`,
        advice: 'Raise tp or ZeRO, recompute, or use hardware with more memory.'
      })
  })
  if (faults.length > 0) throw new FaultError(faults)
}
