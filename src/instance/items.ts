import { greatestCommonDivisor, range } from '../base/arrays.ts'
import type { InstanceDocument } from './schema.ts'

/**
 * Relative sizes of the encoder tasks of each microbatch (M entries, without a common factor); undefined where every
 * microbatch is one task. Takes a document with lists of the right length.
 */
export function itemShares({
  microbatches,
  options
}: Pick<InstanceDocument, 'microbatches' | 'options'>): readonly (readonly number[])[] | undefined {
  const { items } = options
  if (items === undefined) return undefined
  const shares = range(microbatches).map(m => sharesOf(typeof items === 'number' ? items : items[m]))
  return shares.every(list => list.length === 1) ? undefined : shares
}

function sharesOf(entry: number | readonly number[]): readonly number[] {
  if (typeof entry === 'number') return new Array<number>(entry).fill(1)
  const factor = entry.reduce(greatestCommonDivisor)
  return entry.map(share => share / factor)
}
