import { range, sum } from '../base/arrays.ts'

/**
 * Owners by the paper's greedy rule: microbatches by decreasing work (ties: lower m), each to the rank with the most slack
 * left (ties: lower rank). `work` has M entries and `slack` P, in one unit.
 */
export function greedyOwners(work: readonly number[], slack: readonly number[]): number[] {
  const left = [...slack]
  const owners = work.map(() => 0)
  for (const m of byWork(work)) {
    const rank = left.indexOf(Math.max(...left))
    owners[m] = rank
    left[rank] -= work[m]
  }
  return owners
}

/** An owner map with the largest spill over the ranks, and a value that no owner map can stay below. */
export type OwnerMap = { readonly owners: readonly number[]; readonly spill: number; readonly atLeast: number }

/**
 * Owners with the smallest largest spill max(0, E_r - w_r) (the paper's min-max assignment), by branch and bound over the
 * microbatches from the longest on, best fit first. Above `nodes` placements the best map so far comes with what is
 * proven: `spill` is optimal iff it equals `atLeast`.
 */
export function optimalOwners(work: readonly number[], slack: readonly number[], nodes = 200_000): OwnerMap {
  const search = new Search(work, slack, nodes)
  search.place(0)
  const { best, owners } = search
  return { owners, spill: best, atLeast: search.complete ? best : floorOf(work, slack) }
}

function byWork(work: readonly number[]): number[] {
  return range(work.length).sort((a, b) => work[b] - work[a] || a - b)
}

/** All work against all slack, and the longest microbatch against the longest slack. */
function floorOf(work: readonly number[], slack: readonly number[]): number {
  const shared = Math.ceil((sum(work) - sum(slack)) / slack.length)
  return Math.max(0, shared, Math.max(0, ...work) - Math.max(...slack))
}

class Search {
  best: number
  owners: readonly number[]
  complete = true
  readonly #order: readonly number[]
  readonly #load: number[]
  readonly #chosen: number[]
  readonly #floor: number

  constructor(
    readonly work: readonly number[],
    readonly slack: readonly number[],
    private nodes: number
  ) {
    this.owners = greedyOwners(work, slack)
    this.#load = slack.map(() => 0)
    this.#chosen = work.map(() => 0)
    this.#order = byWork(work)
    this.#floor = floorOf(work, slack)
    const load = slack.map((_, rank) => sum(work.filter((_, m) => this.owners[m] === rank)))
    this.best = Math.max(0, ...load.map((ticks, rank) => ticks - slack[rank]))
  }

  place(index: number): void {
    if (this.best <= this.#floor) return
    if (index === this.#order.length) {
      this.best = Math.max(0, ...this.#load.map((load, rank) => load - this.slack[rank]))
      this.owners = [...this.#chosen]
      return
    }
    const m = this.#order[index]
    for (const rank of this.#candidates(this.work[m])) {
      if (this.best <= this.#floor) return
      if (this.nodes-- <= 0) {
        this.complete = false
        return
      }
      if (this.#load[rank] + this.work[m] - this.slack[rank] >= this.best) continue
      this.#chosen[m] = rank
      this.#load[rank] += this.work[m]
      this.place(index + 1)
      this.#load[rank] -= this.work[m]
    }
  }

  /** Ranks that stay below the best spill, most room left first; of ranks alike, one. */
  #candidates(work: number): number[] {
    const seen = new Set<string>()
    const room = (rank: number) => this.slack[rank] - this.#load[rank]
    return range(this.slack.length)
      .filter(rank => work - room(rank) < this.best)
      .sort((a, b) => room(b) - room(a) || a - b)
      .filter(rank => {
        const like = `${room(rank)}`
        if (seen.has(like)) return false
        seen.add(like)
        return true
      })
  }
}
