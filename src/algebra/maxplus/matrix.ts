import { NONE } from './semiring.ts'

/** A (max,+)-linear map: `rows` outputs of `columns` inputs, row-major; NONE where an input does not matter. */
export type Matrix = { readonly rows: number; readonly columns: number; readonly entries: Float64Array }

/** The map that reaches nothing. */
export function nothing(rows: number, columns: number): Matrix {
  return { rows, columns, entries: new Float64Array(rows * columns).fill(NONE) }
}

/** The map that changes nothing. */
export function identity(size: number): Matrix {
  const matrix = nothing(size, size)
  for (let i = 0; i < size; i++) matrix.entries[i * size + i] = 0
  return matrix
}

/** First `right`, then `left`: their (max,+) product. */
export function compose(left: Matrix, right: Matrix): Matrix {
  const product = nothing(left.rows, right.columns)
  for (let row = 0; row < left.rows; row++) {
    for (let inner = 0; inner < left.columns; inner++) {
      const first = left.entries[row * left.columns + inner]
      if (first === NONE) continue
      for (let column = 0; column < right.columns; column++) {
        const sum = first + right.entries[inner * right.columns + column]
        const at = row * right.columns + column
        if (sum > product.entries[at]) product.entries[at] = sum
      }
    }
  }
  return product
}

/** Whichever map is later, entry by entry. */
export function join(a: Matrix, b: Matrix): Matrix {
  return { ...a, entries: a.entries.map((entry, index) => Math.max(entry, b.entries[index])) }
}

/** The map applied to a vector of times. */
export function apply(matrix: Matrix, times: readonly number[]): number[] {
  const column = { rows: times.length, columns: 1, entries: Float64Array.from(times) }
  return [...compose(matrix, column).entries]
}

/**
 * Least solution x of x = loop * x (+) input: the star of a loop without circuits, applied to the input.
 * Ends after as many rounds as the longest chain through the loop.
 */
export function feedback(loop: Matrix, input: Matrix): Matrix {
  let solution = input
  let latest = input
  for (let round = 0; round <= loop.rows; round++) {
    // Only what the last round moved can move more.
    const next = compose(loop, latest)
    let moved = false
    const entries = solution.entries.map((entry, index) => {
      if (next.entries[index] <= entry) {
        next.entries[index] = NONE
        return entry
      }
      moved = true
      return next.entries[index]
    })
    if (!moved) return solution
    solution = { ...input, entries }
    latest = next
  }
  throw new Error('the loop has a circuit')
}

/** Whether two maps are the same. */
export function sameMatrix(a: Matrix, b: Matrix): boolean {
  return a.rows === b.rows && a.columns === b.columns && a.entries.every((entry, index) => entry === b.entries[index])
}
