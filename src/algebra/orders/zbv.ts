import { range } from '../../base/arrays.ts'
import { foldMap, type OrderItem, type PipelineOrder, run, type StepKind } from './order.ts'

/** Deals a rank's steps of both chunks, each kind counting its own microbatches. */
class Dealer {
  readonly items: OrderItem[] = []
  readonly #next = new Map<string, number>()

  constructor(
    readonly stages: readonly [number, number],
    readonly microbatches: number
  ) {}

  /** Microbatches of this kind and chunk dealt so far. */
  count(kind: StepKind, chunk: 0 | 1): number {
    return this.#next.get(kind + chunk) ?? 0
  }

  /** Deals the next microbatch of each named kind; beyond M the step is counted but left out. */
  deal(chunk: 0 | 1, ...kinds: readonly StepKind[]): void {
    for (const kind of kinds) {
      const m = this.count(kind, chunk)
      this.#next.set(kind + chunk, m + 1)
      if (m < this.microbatches) this.items.push(run(kind, this.stages[chunk], m))
    }
  }
}

/**
 * ZB-V (Qi et al., pipeline parallelism with controllable memory, 2024): two chunks per rank folded into a V, split
 * backward. Fewer than 2P-1 microbatches run the order made for 2P-1 with the missing ones left out.
 */
export function zbvOrder(ranks: number, microbatches: number): PipelineOrder {
  const items = range(ranks).map(rank => {
    const dealer = new Dealer([rank, 2 * ranks - 1 - rank], microbatches)
    const enough = Math.max(microbatches, 2 * ranks - 1)
    fill(dealer, rank, ranks)
    settle(dealer, enough)
    drain(dealer, rank, ranks)
    return dealer.items
  })
  return { name: 'zbv', ranks, microbatches, rankOf: [foldMap(2 * ranks, ranks)], items }
}

/** Warmup: forwards down the V until the first microbatch comes back, then both chunks in turn. */
function fill(dealer: Dealer, rank: number, ranks: number): void {
  for (let i = 0; i < 2 * (ranks - rank) - 1; i++) dealer.deal(0, 'F')
  for (let i = 0; i < rank; i++) {
    dealer.deal(1, 'F')
    dealer.deal(0, 'F')
  }
  for (let i = 0; i < ranks - rank; i++) dealer.deal(1, 'F', 'I', 'W')
}

/** Steady state: forward and whole backward of each chunk in turn, until every microbatch has gone forward. */
function settle(dealer: Dealer, microbatches: number): void {
  while (dealer.count('F', 1) < dealer.count('F', 0) || dealer.count('F', 0) < microbatches) {
    if (dealer.count('F', 0) < microbatches) dealer.deal(0, 'F')
    dealer.deal(0, 'I', 'W')
    dealer.deal(1, 'F', 'I', 'W')
  }
}

/** Cooldown: input parts first, weight parts where the rank would wait, the rest of them last. */
function drain(dealer: Dealer, rank: number, ranks: number): void {
  for (let i = 0; i < rank; i++) {
    dealer.deal(0, 'I')
    dealer.deal(1, 'I')
  }
  for (let i = 0; i < ranks - rank; i++) dealer.deal(0, 'I', 'W')
  while (dealer.count('W', 1) < dealer.count('I', 1)) dealer.deal(1, 'W')
  while (dealer.count('W', 0) < dealer.count('I', 0)) dealer.deal(0, 'W')
}
