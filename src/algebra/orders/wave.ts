import { range } from '../../base/arrays.ts'
import { foldMap, type OrderItem, type PipelineOrder, run } from './order.ts'

/** A forward takes one unit of the rule's clock, a backward two. */
const UNITS = { F: 1, B: 2 } as const

type Operation = { readonly kind: 'F' | 'B'; readonly stage: number; readonly microbatch: number }

/**
 * Wave (Hanayo, Liu et al., SC 2023): the stages folded over the ranks `chunks` times, so that a microbatch runs down and
 * up the pipeline like a wave. The order is the eager one for a backward twice as long as a forward and free transfers:
 * every free rank takes a ready backward first, then a ready forward; lower microbatches first, then what is nearest to
 * its end. Stage s of S holds at most min(2, v) * (S - s) / v activations (rounded up), so one chunk per rank is exactly
 * 1F1B, and a V holds half an activation more per rank. The paper gives pictures and no formula: this is our reading.
 */
export function waveOrder(ranks: number, microbatches: number, chunks = 2): PipelineOrder {
  const stages = ranks * chunks
  const rankOf = foldMap(stages, ranks)
  const wave = new Wave(ranks, microbatches, rankOf)
  return { name: 'wave', ranks, microbatches, rankOf: [rankOf], items: wave.play() }
}

/** Plays the rule on a clock of whole units. */
class Wave {
  readonly #items: OrderItem[][]
  readonly #busyUntil: number[]
  readonly #ready: Operation[][]
  readonly #running: { readonly end: number; readonly op: Operation }[] = []
  /** Activations that each stage holds. */
  readonly #held: number[]
  #finished = 0

  constructor(
    readonly ranks: number,
    readonly microbatches: number,
    readonly rankOf: readonly number[]
  ) {
    this.#items = range(ranks).map(() => [])
    this.#busyUntil = range(ranks).map(() => 0)
    this.#ready = range(ranks).map(() => [])
    this.#held = rankOf.map(() => 0)
  }

  play(): OrderItem[][] {
    for (const microbatch of range(this.microbatches)) this.#offer({ kind: 'F', stage: 0, microbatch })
    for (let now = 0; this.#finished < this.microbatches; now++) {
      this.#finish(now)
      for (let rank = 0; rank < this.ranks; rank++) if (this.#busyUntil[rank] <= now) this.#start(rank, now)
    }
    return this.#items
  }

  /** Whether a stage may take another forward. */
  #admits({ kind, stage }: Operation): boolean {
    const stages = this.rankOf.length
    const chunks = stages / this.ranks
    return kind === 'B' || this.#held[stage] < Math.ceil((Math.min(2, chunks) * (stages - stage)) / chunks)
  }

  #offer(op: Operation): void {
    this.#ready[this.rankOf[op.stage]].push(op)
  }

  #finish(now: number): void {
    const done = this.#running.filter(entry => entry.end === now)
    for (const entry of done) {
      this.#running.splice(this.#running.indexOf(entry), 1)
      this.#release(entry.op)
    }
  }

  /** What a finished operation makes ready: the next stage, the turn at the last stage, or the end of a microbatch. */
  #release({ kind, stage, microbatch }: Operation): void {
    const last = this.rankOf.length - 1
    if (kind === 'B') this.#held[stage]--
    if (kind === 'F')
      this.#offer(stage < last ? { kind, stage: stage + 1, microbatch } : { kind: 'B', stage, microbatch })
    else if (stage > 0) this.#offer({ kind, stage: stage - 1, microbatch })
    else this.#finished++
  }

  #start(rank: number, now: number): void {
    const ready = this.#ready[rank]
    const op = ready.filter(candidate => this.#admits(candidate)).sort(byPriority)[0]
    if (!op) return
    ready.splice(ready.indexOf(op), 1)
    if (op.kind === 'F') this.#held[op.stage]++
    this.#items[rank].push(run(op.kind, op.stage, op.microbatch))
    this.#busyUntil[rank] = now + UNITS[op.kind]
    this.#running.push({ end: this.#busyUntil[rank], op })
  }
}

/** Backwards before forwards; then what is nearest to its end; then the lower microbatch. */
function byPriority(a: Operation, b: Operation): number {
  if (a.kind !== b.kind) return a.kind === 'B' ? -1 : 1
  const nearer = a.kind === 'B' ? a.stage - b.stage : b.stage - a.stage
  return a.microbatch - b.microbatch || nearer
}
