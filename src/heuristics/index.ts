import type { Family } from '../schedule/family.ts'
import { dedicated } from './dedicated.ts'
import { inline } from './inline.ts'
import { stockFull, stockMin } from './stock.ts'
import { transposeFull } from './transpose-full.ts'
import { transposeGreedy } from './transpose-greedy.ts'
import { transposeMin } from './transpose-min.ts'

/** All families, in the order in which tables list them. */
export const FAMILIES: readonly Family[] = [
  inline,
  dedicated,
  transposeFull,
  transposeMin,
  transposeGreedy,
  stockFull,
  stockMin
]

/** The family with this id, if there is one. */
export function familyById(id: string): Family | undefined {
  return FAMILIES.find(family => family.id === id)
}
