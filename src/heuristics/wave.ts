import { waveOrder } from '../algebra/orders/wave.ts'
import type { Family } from '../schedule/family.ts'
import { mappedFamily } from './fixed-order.ts'

/** Two slabs per rank folded into a V, whole backwards, eager order. */
export const wave: Family = {
  id: 'wave',
  title: 'wave: two slabs per rank folded into a V, whole backwards',
  source: 'Liu et al., Hanayo (SC 2023); our reading of its pictures',
  apply: measured => mappedFamily(measured, waveOrder(measured.ranks, measured.microbatches), { split: false })
}
