/** `[0, 1, ..., count - 1]`. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}

/** Sum of numbers; 0 for none. */
export function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}

/** Largest of numbers; `floor` (default 0) for none. Safe for arrays too long to spread. */
export function maximum(values: Iterable<number>, floor = 0): number {
  let best = floor
  for (const value of values) if (value > best) best = value
  return best
}

/** Element-wise sum of equally long lists; `length` zeros when there are no lists. */
export function addLists(lists: readonly (readonly number[])[], length: number): number[] {
  return range(length).map(index => sum(lists.map(list => list[index])))
}

/** The values by key, keys and values in the order in which they come. */
export function groupBy<Value, Key>(values: readonly Value[], keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

/** Greatest common divisor of two whole numbers from 0; that of 0 and n is n. */
export function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
