import type { InstanceDocument } from '../instance/index.ts'
import type { Assumption } from './assumption.ts'
import type { Derivation } from './derivations.ts'
import type { ModelCounts, Modelled } from './modelled.ts'
import type { Profiled } from './profile/to-instance.ts'
import type { SeamLink } from './transfers.ts'

/** `tropipe.model/1`: the model as it was read, what was assumed, and the measured instance that it became. */
export type ModelDocument = {
  readonly format: 'tropipe.model/1'
  readonly model: {
    readonly name: string
    readonly parameters: ModelCounts
    readonly flopsPerToken: number
    readonly assumptions: readonly Assumption[]
    readonly derivations: readonly Derivation[]
    readonly seams: readonly SeamLink[]
    readonly warnings: readonly string[]
  }
  readonly instance: InstanceDocument
}

/** The document of a modelled instance. */
export function toModelDocument(modelled: Modelled): ModelDocument {
  const { document, counts, flopsPerToken, assumptions, derivations, seams, warnings } = modelled
  return {
    format: 'tropipe.model/1',
    model: { name: document.name, parameters: counts, flopsPerToken, assumptions, derivations, seams, warnings },
    instance: document
  }
}

/** The document of a profiled instance: no model was read, so its counts are 0. */
export function toProfileDocument({ document, assumptions, notes, statistics }: Profiled) {
  const none: ModelCounts = { text: 0, vision: 0, total: 0, active: 0 }
  return {
    format: 'tropipe.model/1',
    model: { name: document.name, parameters: none, flopsPerToken: 0, assumptions, notes, statistics },
    instance: document
  }
}
