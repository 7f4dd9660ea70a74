import { maximum, range, sum } from '../../base/arrays.ts'
import { embeddingActivationBytes, headActivationBytes } from '../activations.ts'
import type { Layer, TextModel } from '../architecture.ts'
import { plannedLoads } from '../loads.ts'
import type { OtherCut, Plan } from '../plan.ts'
import { spreadOf } from '../plan.ts'
import { loadOf, type TextSlab, textStageCost, workingSet } from '../text-cost.ts'
import { GIB } from '../units.ts'
import { type VisionCost, visionCost, visionStates } from '../vision-cost.ts'
import { type Cut, type CutProblem, type LayerKind, NO_EXTRA, type StageExtra } from './problem.ts'

/** Where the encoder is while the cut is chosen: on every rank (transposed), on stage 0, or alone on rank 0. */
export type EncoderPlace = 'transposed' | 'inline' | 'dedicated'

/** More runs of alike layers than this are averaged: the order of a hybrid's layers hardly matters, its model would be large. */
const MOST_KINDS = 6

/** Layers of a text tower as runs of alike ones; `average` where there are too many runs. */
export type Runs = { readonly runs: readonly (readonly Layer[])[]; readonly average: boolean }

/** Runs of alike layers in depth order. */
export function layerRuns(text: TextModel): Runs {
  const runs: Layer[][] = []
  for (const layer of text.layers) {
    const last = runs.at(-1)
    if (last && JSON.stringify(last[0]) === JSON.stringify(layer)) last.push(layer)
    else runs.push([layer])
  }
  return runs.length <= MOST_KINDS ? { runs, average: false } : { runs: [[...text.layers]], average: true }
}

/**
 * The cut problem of a plan, in seconds and bytes of one device. The encoder's mean microbatch stands for all of them;
 * transfers between stages are left out. `recompute`: whether layers may be recomputed one by one.
 */
export function cutProblemOf(plan: Plan, place: EncoderPlace, recompute: boolean): CutProblem {
  const text = plan.architecture.text!
  const { ranks, microbatches } = plan.parallel
  const kinds = layerRuns(text).runs.map((run, index) => kindOf(plan, text, run, `kind${index}`, recompute))
  const extras = extrasOf(plan, text, place)
  const reserved = recompute ? workingSetOf(plan, text) : workingSet(plan, text)
  const room = plan.hardware.memory.hardGiB.value * GIB - reserved
  return {
    stages: ranks,
    microbatches,
    kinds,
    extras,
    limit: range(ranks).map(() => room),
    least: 1,
    ...(place === 'dedicated' ? { empty: [0] } : {})
  }
}

function workingSetOf(plan: Plan, text: TextModel): number {
  return workingSet({ ...plan, recomputedLayers: [1] }, text)
}

function kindOf(plan: Plan, text: TextModel, run: readonly Layer[], name: string, recompute: boolean): LayerKind {
  const bare = { ...plan, overheadUs: 0, predictions: 0 }
  const costOf = (layer: Layer, again: boolean) => {
    const slab: TextSlab = { layers: [layer], embedding: false, head: false, recomputed: [again] }
    return textStageCost(bare, text, slab)
  }
  const different = [...new Map(run.map(layer => [JSON.stringify(layer), layer])).values()]
  const share = (layer: Layer) => run.filter(one => JSON.stringify(one) === JSON.stringify(layer)).length / run.length
  const mean = (of: (layer: Layer) => number) => sum(different.map(layer => share(layer) * of(layer)))
  return {
    name,
    count: run.length,
    forward: mean(layer => costOf(layer, false).forward),
    backward: mean(layer => costOf(layer, false).backward),
    ...(recompute && plan.recompute !== 'full'
      ? { recompute: mean(layer => costOf(layer, true).backward - costOf(layer, false).backward) }
      : {}),
    states: mean(layer => costOf(layer, false).states),
    activation: mean(layer => costOf(layer, false).activation),
    recomputedActivation: mean(layer => costOf(layer, true).activation)
  }
}

function extrasOf(plan: Plan, text: TextModel, place: EncoderPlace): StageExtra[] {
  const { ranks } = plan.parallel
  const encoder = encoderExtra(plan)
  const first = place === 'dedicated' ? 1 : 0
  return range(ranks).map(stage => {
    const empty: TextSlab = { layers: [], embedding: stage === first, head: stage === ranks - 1, recomputed: [] }
    const idle = place === 'dedicated' && stage === 0
    const own = idle ? NO_EXTRA : { ...textStageCost(plan, text, empty), activation: endsActivation(plan, text, empty) }
    const { forward, backward, states, activation } = own
    if (place === 'transposed')
      return { forward, backward, states: states + encoder.states + encoder.transient, activation }
    if (stage > 0) return { forward, backward, states, activation }
    return {
      forward: forward + encoder.forward,
      backward: backward + encoder.backward,
      states: states + encoder.states + encoder.transient,
      activation: activation + encoder.held
    }
  })
}

function endsActivation(plan: Plan, text: TextModel, slab: TextSlab): number {
  const { tokens } = loadOf(plan)
  const spread = spreadOf(plan.parallel)
  return (
    (slab.embedding ? embeddingActivationBytes(text, tokens, spread) : 0) +
    (slab.head ? (1 + plan.predictions) * headActivationBytes(text, tokens, spread) : 0)
  )
}

/** The encoder's mean microbatch: times, states, bytes held once (frozen) or per microbatch in flight (trained). */
function encoderExtra(plan: Plan) {
  const { vision } = plan.architecture
  if (!vision) return { forward: 0, backward: 0, states: 0, transient: 0, held: 0 }
  const costs = plannedLoads(plan, vision).map(load => visionCost(plan, vision, load))
  const mean = (of: (cost: VisionCost) => number) => sum(costs.map(of)) / costs.length
  const states = visionStates(plan, vision)
  const activation = maximum(costs.map(one => one.activation))
  return {
    forward: mean(one => one.tower.forward + one.projector.forward),
    backward: mean(one => one.tower.backward + one.projector.backward),
    states: states.tower + states.projector,
    transient: plan.training.vision ? 0 : activation,
    held: plan.training.vision ? activation : 0
  }
}

/** A solved cut as layers per stage with the recomputed ones marked; the encoder's own stage is left out. */
export function cutOfAnswer(problem: CutProblem, cut: Cut): OtherCut {
  const stages = range(problem.stages).filter(stage => !problem.empty?.includes(stage))
  return {
    cut: stages.map(stage => sum(cut.layers[stage])),
    recomputed: stages.map(stage =>
      cut.layers[stage].flatMap((count, kind) => range(count).map(index => index < cut.recomputed[stage][kind]))
    )
  }
}
