import type { Family } from '../schedule/family.ts'
import { dedicated } from './dedicated.ts'
import { dedicatedBest } from './dedicated-best.ts'
import { dip } from './dip.ts'
import { dualpipe } from './dualpipe.ts'
import { dualpipev } from './dualpipev.ts'
import { encoderDp } from './encoder-dp.ts'
import { gpipe } from './gpipe.ts'
import { inline } from './inline.ts'
import { inlineBest } from './inline-best.ts'
import { interleaved } from './interleaved.ts'
import { interleavedLessMemory } from './interleaved-less-memory.ts'
import { nested } from './nested.ts'
import { oneForwardOneBackward } from './one-forward-one-backward.ts'
import { optimus } from './optimus.ts'
import { stockFull, stockMin } from './stock.ts'
import { transposeFull } from './transpose-full.ts'
import { transposeGreedy } from './transpose-greedy.ts'
import { transposeMin } from './transpose-min.ts'
import { vHalf } from './v-half.ts'
import { vMin } from './v-min.ts'
import { wave } from './wave.ts'
import { zb1p } from './zb-1p.ts'
import { zb2p } from './zb-2p.ts'
import { zbH1 } from './zb-h1.ts'
import { zbH2 } from './zb-h2.ts'
import { zbv } from './zbv.ts'

/** All families, in the order in which tables list them. */
export const FAMILIES: readonly Family[] = [
  inline,
  inlineBest,
  dedicated,
  dedicatedBest,
  transposeFull,
  transposeMin,
  transposeGreedy,
  stockFull,
  stockMin,
  optimus,
  dip,
  encoderDp,
  nested,
  gpipe,
  oneForwardOneBackward,
  interleaved,
  interleavedLessMemory,
  zbH1,
  zbH2,
  zb1p,
  zb2p,
  zbv,
  vHalf,
  vMin,
  wave,
  dualpipe,
  dualpipev
]

/** The family with this id, if there is one. */
export function familyById(id: string): Family | undefined {
  return FAMILIES.find(family => family.id === id)
}
