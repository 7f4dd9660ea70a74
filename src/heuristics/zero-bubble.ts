import { maximum, range } from '../base/arrays.ts'
import type { Tick } from '../schedule/measured.ts'

/** Durations by stage and microbatch, one transfer time, and what a stage holds, in activations of that stage. */
export type GreedyInput = {
  readonly ranks: number
  readonly microbatches: number
  readonly ticks: Readonly<Record<GreedyKind, readonly (readonly Tick[])[]>>
  readonly send: Tick
  /** Activations of its stage that each rank may hold at once. */
  readonly limits: readonly number[]
  /** Share of an activation that the weight part keeps, per stage. */
  readonly weightShare: readonly number[]
}

export type GreedyKind = 'F' | 'I' | 'W'

/** One step of a rank. */
export type GreedyStep = { readonly kind: GreedyKind; readonly microbatch: number }

/** The three choices that the rule leaves open; all eight combinations are tried. */
export type GreedyFlags = {
  /** Start one more warmup forward although the first backward then waits for it. */
  readonly delayFirstBackward: boolean
  /** Leave a forward out of a round while this rank leads the next one by more than one and would not idle. */
  readonly backwardFirst: boolean
  /** Fill every gap before a forward, not only one that would make this rank the idlest. */
  readonly fillShortGaps: boolean
}

/** Per rank the steps in order, the span (the longest time from a rank's first start to its last end), and the makespan. */
export type GreedyResult = {
  readonly steps: readonly (readonly GreedyStep[])[]
  readonly span: Tick
  readonly makespan: Tick
}

export const ALL_FLAGS: readonly GreedyFlags[] = range(8).map(bits => ({
  delayFirstBackward: (bits & 1) !== 0,
  backwardFirst: (bits & 2) !== 0,
  fillShortGaps: (bits & 4) !== 0
}))

/** The best of the eight combinations by span, ties by makespan; undefined when none finishes within the limit. */
export function bestGreedy(input: GreedyInput): GreedyResult | undefined {
  const results = ALL_FLAGS.flatMap(flags => greedyZeroBubble(input, flags) ?? [])
  return results.sort((a, b) => a.span - b.span || a.makespan - b.makespan)[0]
}

/**
 * The automatic schedule of Qi et al. (ICLR 2024, section 3.1), from its rules: as many warmup forwards as memory and the
 * first backward allow, every rank leading the next by one; then one backward and one forward per rank and round; weight
 * parts where a gap holds one, where memory is short, or where a short gap would make this rank the idlest; what is left
 * of them at the end. Undefined when a forward does not fit with every weight part done.
 */
export function greedyZeroBubble(input: GreedyInput, flags: GreedyFlags): GreedyResult | undefined {
  const state = new Greedy(input, flags)
  if (!state.warmUp()) return undefined
  while (!state.finished()) if (!state.round()) return undefined
  return state.result()
}

/** Slack for sums of weight shares, which are not whole. */
const ROUNDING = 1e-9

class Greedy {
  readonly #steps: GreedyStep[][]
  readonly #now: Tick[]
  readonly #begin: Tick[]
  readonly #idle: Tick[]
  readonly #held: number[]
  readonly #ends: Record<GreedyKind, Tick[][]>

  constructor(
    readonly input: GreedyInput,
    readonly flags: GreedyFlags
  ) {
    const each = <T>(value: () => T) => range(input.ranks).map(value)
    this.#steps = each(() => [])
    this.#now = each(() => 0)
    this.#begin = each(() => 0)
    this.#idle = each(() => 0)
    this.#held = each(() => 0)
    this.#ends = { F: each(() => []), I: each(() => []), W: each(() => []) }
  }

  #count(kind: GreedyKind, rank: number): number {
    return this.#ends[kind][rank].length
  }

  #left(kind: GreedyKind, rank: number): boolean {
    return this.#count(kind, rank) < this.input.microbatches
  }

  #ticks(kind: GreedyKind, rank: number): Tick {
    return this.input.ticks[kind][rank][this.#count(kind, rank)]
  }

  /** When the next step of a kind could start as far as its input goes; undefined while that is not placed yet. */
  #arrival(kind: GreedyKind, rank: number): Tick | undefined {
    const { ranks, send } = this.input
    const next = this.#count(kind, rank)
    if (kind === 'F') return rank === 0 ? 0 : plus(this.#ends.F[rank - 1][next], send)
    if (kind === 'W') return this.#ends.I[rank][next]
    return rank === ranks - 1 ? this.#ends.F[rank][next] : plus(this.#ends.I[rank + 1][next], send)
  }

  #put(kind: GreedyKind, rank: number): void {
    const start = Math.max(this.#now[rank], this.#arrival(kind, rank) ?? 0)
    const first = this.#steps[rank].length === 0
    if (first) this.#begin[rank] = start
    else this.#idle[rank] += start - this.#now[rank]
    const end = start + this.#ticks(kind, rank)
    this.#steps[rank].push({ kind, microbatch: this.#count(kind, rank) })
    this.#ends[kind][rank].push(end)
    this.#now[rank] = end
    const share = this.input.weightShare[rank]
    this.#held[rank] += kind === 'F' ? 1 : kind === 'I' ? share - 1 : -share
  }

  #fits(rank: number): boolean {
    return this.#held[rank] + 1 <= this.input.limits[rank] + ROUNDING
  }

  #pending(rank: number): boolean {
    return this.#count('W', rank) < this.#count('I', rank)
  }

  warmUp(): boolean {
    const { ranks } = this.input
    for (let rank = 0; rank < ranks; rank++) {
      if (!this.#fits(rank)) return false
      this.#put('F', rank)
    }
    this.#put('I', ranks - 1)
    for (let rank = ranks - 2; rank >= 0; rank--) {
      const arrival = this.#arrival('I', rank) ?? 0
      while (this.#count('F', rank) <= this.#count('F', rank + 1) && this.#left('F', rank)) {
        if (!this.#leads(rank)) return false
        this.#lead(rank)
      }
      while (this.#mayLead(rank, arrival)) this.#lead(rank)
      this.#put('I', rank)
    }
    return true
  }

  /** Forwards that each rank before this one needs, so that all keep leading after one more forward here. */
  #wanted(rank: number, above: number): number {
    return Math.min(this.input.microbatches, this.#count('F', rank) + 1 + rank - above)
  }

  /** Whether memory allows one more forward here and what it asks of the ranks before. */
  #leads(rank: number): boolean {
    return range(rank + 1).every(above => {
      const more = Math.max(0, this.#wanted(rank, above) - this.#count('F', above))
      return this.#held[above] + more <= this.input.limits[above] + ROUNDING
    })
  }

  #lead(rank: number): void {
    const wanted = range(rank + 1).map(above => this.#wanted(rank, above))
    for (let above = 0; above <= rank; above++) while (this.#count('F', above) < wanted[above]) this.#put('F', above)
  }

  /** Whether this rank takes one more forward before its first backward arrives. */
  #mayLead(rank: number, arrival: Tick): boolean {
    if (!this.#left('F', rank) || !this.#leads(rank)) return false
    const start = Math.max(this.#now[rank], this.#arrival('F', rank) ?? this.#now[rank])
    return this.flags.delayFirstBackward ? start < arrival : start + this.#ticks('F', rank) <= arrival
  }

  finished(): boolean {
    return range(this.input.ranks).every(rank => !this.#left('I', rank) && !this.#left('F', rank))
  }

  /** One backward per rank from the last to the first, then one forward per rank from the first to the last. */
  round(): boolean {
    const { ranks } = this.input
    let moved = false
    for (let rank = ranks - 1; rank >= 0; rank--) {
      const arrival = this.#arrival('I', rank)
      if (!this.#left('I', rank) || arrival === undefined || this.#count('F', rank) <= this.#count('I', rank)) continue
      this.#catchUp(rank, arrival)
      this.#fill(rank, arrival, 'I')
      this.#put('I', rank)
      moved = true
    }
    for (let rank = 0; rank < ranks; rank++) {
      const arrival = this.#arrival('F', rank)
      if (!this.#left('F', rank) || arrival === undefined || this.#skips(rank)) continue
      while (!this.#fits(rank) && this.#pending(rank)) this.#put('W', rank)
      if (!this.#fits(rank)) continue
      this.#fill(rank, arrival, 'F')
      this.#put('F', rank)
      moved = true
    }
    return moved
  }

  /** Weight parts while the gap until `arrival` holds one, and one more where the gap would make this rank the idlest. */
  #fill(rank: number, arrival: Tick, next: 'I' | 'F'): void {
    while (this.#pending(rank) && this.#now[rank] + this.#ticks('W', rank) <= arrival) this.#put('W', rank)
    const gap = arrival - this.#now[rank]
    if (gap <= 0 || !this.#pending(rank)) return
    const always = this.flags.fillShortGaps && next === 'F'
    if (always || this.#idle[rank] + gap > maximum(this.#idle)) this.#put('W', rank)
  }

  /** A rank that leads the next one by more than one may leave its forward out of a round. */
  #skips(rank: number): boolean {
    if (!this.flags.backwardFirst || rank === this.input.ranks - 1 || !this.#left('I', rank)) return false
    return this.#count('F', rank) - this.#count('F', rank + 1) > 1
  }

  /** The forward that was left out, where it still fits before the next backward arrives. */
  #catchUp(rank: number, arrival: Tick): void {
    if (!this.flags.backwardFirst || !this.#left('F', rank) || !this.#fits(rank)) return
    const ready = this.#arrival('F', rank)
    if (ready === undefined || rank === this.input.ranks - 1) return
    if (Math.max(this.#now[rank], ready) + this.#ticks('F', rank) <= arrival) this.#put('F', rank)
  }

  result(): GreedyResult {
    for (let rank = 0; rank < this.input.ranks; rank++) while (this.#pending(rank)) this.#put('W', rank)
    return {
      steps: this.#steps,
      span: maximum(this.#now.map((end, rank) => end - this.#begin[rank])),
      makespan: maximum(this.#now)
    }
  }
}

function plus(end: Tick | undefined, lag: Tick): Tick | undefined {
  return end === undefined ? undefined : end + lag
}
