import type { Family } from '../schedule/family.ts'
import { dedicatedMeasured } from './dedicated.ts'
import { bodyFamily } from './inline.ts'

const ABSENT = 'the instance states no best cut for it (`tropipe model --cut best` does)'

/** Like `dedicated`, with the best cut of the backbone over the other ranks. */
export const dedicatedBest: Family = {
  id: 'dedicated-best',
  title: 'encoder alone on the first stage, best cut of the backbone on the others',
  source: 'layers per stage by a MILP over 1F1B under memory (rules of the Ascend fast-tuner)',
  apply: measured => {
    if (!measured.dedicatedBest) return { kind: 'not-applicable', reason: ABSENT }
    const split = dedicatedMeasured({ ...measured, dedicated: measured.dedicatedBest })
    return typeof split === 'string' ? { kind: 'not-applicable', reason: split } : bodyFamily(split)
  }
}
