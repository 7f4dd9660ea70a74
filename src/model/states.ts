import type { Parallel } from './plan.ts'

/** Bytes per parameter: weight in BF16, gradient in FP32, and FP32 master weight with two Adam moments. */
export const STATE_BYTES = { weight: 2, gradient: 4, optimizer: 12 } as const

/** Parameters of one stage by who holds them: tensor-parallel members, expert-parallel members. */
export type Held = { readonly dense: number; readonly routed: number }

/** Parameters per device. Experts are spread over `expert` members, whole on each (expert tensor parallelism 1). */
export function perDevice(held: Held, parallel: Parallel): Held {
  return { dense: held.dense / parallel.tensor, routed: held.routed / parallel.expert }
}

/** Members of the groups that share a parameter's optimizer state: data parallel, and expert data parallel. */
export function stateGroups(parallel: Parallel): Held {
  const members = parallel.tensor * parallel.context * parallel.data
  return { dense: parallel.data * parallel.context, routed: Math.max(1, members / parallel.expert) }
}

/** Bytes of weights, gradients and optimizer states per device: 18 per trained parameter, 6 + 12/n with ZeRO-1, 2 frozen. */
export function stateBytes(held: Held, parallel: Parallel, trained: boolean): number {
  const local = perDevice(held, parallel)
  if (!trained) return STATE_BYTES.weight * (local.dense + local.routed)
  const groups = parallel.zero1 ? stateGroups(parallel) : { dense: 1, routed: 1 }
  const always = STATE_BYTES.weight + STATE_BYTES.gradient
  return (
    local.dense * (always + STATE_BYTES.optimizer / groups.dense) +
    local.routed * (always + STATE_BYTES.optimizer / groups.routed)
  )
}
