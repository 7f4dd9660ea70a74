import { sum } from '../base/arrays.ts'
import type { Fault } from '../base/fault.ts'

/**
 * How the layers of a model are cut into stages. `stages` counts them in depth order; stage k sits on rank k mod P
 * (chunk k div P). A module is one stack of layers: its list says how many of them each stage holds.
 */
export type Cut = {
  readonly ranks: number
  readonly stages: number
  readonly modules: readonly CutModule[]
}

export type CutModule = {
  readonly name: 'vision' | 'audio' | 'text'
  /** Layers of the module in all. */
  readonly layers: number
  /** Layers per stage (S entries). */
  readonly perStage: readonly number[]
  readonly frozen?: boolean
}

/**
 * What is wrong with a cut: layers lost or invented, lists of the wrong length, stages that do not fill the ranks, an
 * encoder that ends after the text starts.
 */
export function cutFaults(cut: Cut): Fault[] {
  const faults: Fault[] = []
  const add = (code: string, path: string, value: unknown, message: string, advice: string) =>
    faults.push({ code, path, value, message, advice })
  if (cut.stages % cut.ranks !== 0)
    add(
      'STAGES',
      'stages',
      cut.stages,
      `${cut.stages} stages do not fill ${cut.ranks} ranks evenly`,
      'Give every rank equally many stages.'
    )
  for (const { name, layers, perStage } of cut.modules) {
    const placed = sum(perStage)
    if (perStage.length !== cut.stages)
      add(
        'LIST_LENGTH',
        name,
        perStage.length,
        `${name} lists ${perStage.length} stages of ${cut.stages}`,
        'Give one number per stage, 0 included.'
      )
    if (placed !== layers)
      add(
        'LAYERS',
        name,
        placed,
        `${placed} of ${layers} ${name} layers placed`,
        'Make the numbers add up to the layers of the model.'
      )
  }
  const text = cut.modules.find(module => module.name === 'text')
  const firstText = text ? text.perStage.findIndex(count => count > 0) : -1
  for (const { name, perStage } of cut.modules) {
    const last = perStage.findLastIndex(count => count > 0)
    if (name !== 'text' && firstText >= 0 && last > firstText)
      add(
        'DEPTH',
        name,
        perStage,
        `${name} layers on stage ${last} come after the first text layers (stage ${firstText})`,
        'Stages run in depth order: all encoder layers first.'
      )
  }
  return faults
}

/** Stages that hold no layer of any module: legal in some runtimes, a crash in others. */
export function emptyStages(cut: Cut): number[] {
  return [...Array(cut.stages).keys()].filter(stage => cut.modules.every(module => (module.perStage[stage] ?? 0) === 0))
}
