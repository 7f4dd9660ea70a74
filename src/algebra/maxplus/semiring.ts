/** What a longest path needs: a "max" and a "plus" over W, with the neutral values of both. */
export type Semiring<W> = {
  /** Neutral for `max`: no path. */
  readonly none: W
  /** Neutral for `plus`: a path of length nothing. */
  readonly unit: W
  readonly max: (a: W, b: W) => W
  readonly plus: (a: W, b: W) => W
}

/** No path: the neutral element of max. */
export const NONE = Number.NEGATIVE_INFINITY

/** The (max,+) semiring of numbers. */
export const TICKS: Semiring<number> = {
  none: NONE,
  unit: 0,
  max: (a, b) => Math.max(a, b),
  plus: (a, b) => a + b
}
