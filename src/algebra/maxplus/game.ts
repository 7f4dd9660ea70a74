import { range } from '../../base/arrays.ts'

/**
 * Exact solution of max over d >= 0, sum d = 1, of min over columns of d . column, in whole numbers of any size: a simplex
 * on the column player's program, fraction-free (every entry is the true value times `scale`), Bland's rule. Columns may be
 * added while it runs.
 */
export class Game {
  /** Rows: one per name, then the objective. Columns: one slack per name, the right side, then the added ones. */
  readonly #rows: bigint[][]
  readonly #basis: number[]
  #scale = 1n

  /** `shift` is added to every column entry so that all become positive; the value is shifted back. */
  constructor(
    readonly names: number,
    readonly shift: number
  ) {
    this.#rows = range(names + 1).map(row =>
      range(names + 1).map(column => (column === row && row < names ? 1n : column === names && row < names ? 1n : 0n))
    )
    this.#basis = range(names)
  }

  /** Adds a column and solves again. Entries are whole numbers of at least -shift + 1. */
  add(column: readonly number[]): void {
    const entries = column.map(entry => BigInt(entry + this.shift))
    for (const [index, row] of this.#rows.entries()) {
      const inBasis = entries.reduce((sum, entry, name) => sum + row[name] * entry, 0n)
      // The objective row holds reduced costs: minus one for the new column, plus what the basis makes of it.
      row.push(index === this.names ? inBasis - this.#scale : inBasis)
    }
    this.#solve()
  }

  /** Whether the row player wins more than nothing: value > 0. */
  get positive(): boolean {
    const total = this.#rows[this.names][this.names]
    return total > 0n && this.#scale > total * BigInt(this.shift)
  }

  /** The row player's best mix, as whole numbers without common factor. */
  get mix(): bigint[] {
    const mix = this.#rows[this.names].slice(0, this.names)
    const common = mix.reduce(gcd, 0n)
    return common > 1n ? mix.map(entry => entry / common) : mix
  }

  #solve(): void {
    for (;;) {
      const objective = this.#rows[this.names]
      const entering = objective.findIndex((cost, column) => column !== this.names && cost < 0n)
      if (entering < 0) return
      this.#pivot(this.#leaving(entering), entering)
    }
  }

  /** Smallest ratio of right side to entry; ties to the lowest basis column (Bland). */
  #leaving(entering: number): number {
    let best = -1
    for (let row = 0; row < this.names; row++) {
      const entry = this.#rows[row][entering]
      if (entry <= 0n) continue
      if (best < 0) best = row
      else {
        const [left, right] = [
          this.#rows[row][this.names] * this.#rows[best][entering],
          this.#rows[best][this.names] * entry
        ]
        if (left < right || (left === right && this.#basis[row] < this.#basis[best])) best = row
      }
    }
    if (best < 0) throw new Error('a game with positive entries is bounded')
    return best
  }

  #pivot(row: number, column: number): void {
    const pivotRow = this.#rows[row]
    const pivot = pivotRow[column]
    for (const [index, other] of this.#rows.entries()) {
      if (index === row) continue
      const factor = other[column]
      for (let at = 0; at < other.length; at++) other[at] = (other[at] * pivot - factor * pivotRow[at]) / this.#scale
    }
    this.#scale = pivot
    this.#basis[row] = column
  }
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b]
  while (y > 0n) [x, y] = [y, x % y]
  return x
}
