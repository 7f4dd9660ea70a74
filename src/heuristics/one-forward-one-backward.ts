import { oneForwardOneBackwardOrder } from '../algebra/orders/body.ts'
import type { Family } from '../schedule/family.ts'
import { wholeBackwardFamily } from './fixed-order.ts'

/** Forwards and backwards in turn after a warmup of min(P - r, M) forwards; one slab per rank. */
export const oneForwardOneBackward: Family = {
  id: '1f1b',
  title: 'one forward, one backward in turn; a transposed encoder is fused into the first stage',
  source: 'PipeDream-Flush, Narayanan et al. (ICML 2021); Megatron-LM without interleaving',
  apply: measured => wholeBackwardFamily(measured, 1, oneForwardOneBackwardOrder)
}
