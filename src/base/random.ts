/** A repeatable stream of numbers in [0, 1). */
export type Random = () => number

/** Mulberry32: a small seeded generator, the same everywhere. Not for secrets. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** A whole number in [0, below). */
export function randomBelow(random: Random, below: number): number {
  return Math.floor(random() * below)
}

/** `count` different values of a list (all of them, shuffled, where it is shorter). */
export function sample<T>(random: Random, values: readonly T[], count: number): T[] {
  const pool = [...values]
  const taken = Math.min(count, pool.length)
  for (let index = 0; index < taken; index++) {
    const other = index + randomBelow(random, pool.length - index)
    ;[pool[index], pool[other]] = [pool[other], pool[index]]
  }
  return pool.slice(0, taken)
}
