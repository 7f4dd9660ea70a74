import { gpipeOrder } from '../algebra/orders/body.ts'
import type { Family } from '../schedule/family.ts'
import { wholeBackwardFamily } from './fixed-order.ts'

/** All forwards, then all backwards; one slab per rank. */
export const gpipe: Family = {
  id: 'gpipe',
  title: 'all forwards, then all backwards; a transposed encoder is fused into the first stage',
  source: 'Huang et al., GPipe (NeurIPS 2019)',
  apply: measured => wholeBackwardFamily(measured, 1, gpipeOrder)
}
