import { pointless, unknownEngine } from './outcome.ts'
import type { BackendInfo, Outcome } from './port.ts'

/** The outcome of asking a backend for a kind of model that it does not take. */
export function unsupported(info: BackendInfo, kind: string): Outcome {
  const takes = info.capabilities.models.join(', ')
  return pointless('crash', unknownEngine(info.id), `${info.title} takes ${takes} models, not ${kind}`)
}
