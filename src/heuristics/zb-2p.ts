import type { Family } from '../schedule/family.ts'
import { greedyFamily } from './zb-greedy.ts'

/** Automatic zero-bubble schedule with the activation memory of twice 1F1B's first rank. */
export const zb2p: Family = {
  id: 'zb-2p',
  title: 'greedy zero bubble within 2P activations per rank, best of eight flag combinations by span',
  source:
    'Qi et al., Zero Bubble Pipeline Parallelism (ICLR 2024), automatic schedule ZB-2p; one open choice of the rule is ours (docs/families.md)',
  apply: measured => greedyFamily(measured, 2)
}
